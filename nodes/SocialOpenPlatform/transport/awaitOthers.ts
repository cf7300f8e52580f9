import { sleep } from 'n8n-workflow';
import { dropOldest } from '../protocol/newest';

/** Longer than a token exchange and its storing mostly take, in milliseconds. */
const SPREAD_MS = 600;

/** They take longer where the refused request did: so many times as long. */
const PER_REQUEST = 4;

/** The longest, in milliseconds. */
const MAX_SPREAD_MS = 4_000;

/** Tokens whose waits are remembered; the oldest goes first. */
const MAX_REMEMBERED = 100;

const waits = new Map<string, Promise<void>>();

/**
 * Gives n8n's other processes time to store the token with which they have ended this process's. Nothing
 * locks a credential across processes, and where a new token ends the earlier ones, two workers that each
 * get one end each other's. How long is left to chance, so that one of them is first and the others find
 * what it has stored. All requests of this process that a token was refused to wait once, and together.
 *
 * @param tookMs milliseconds that the refused request took
 * @param isEnded whether others are known to have got another token, which they are about to store
 */
export async function awaitOthers(
	refused: string,
	tookMs: number,
	isEnded: boolean,
): Promise<void> {
	const spread = Math.min(Math.max(SPREAD_MS, PER_REQUEST * tookMs), MAX_SPREAD_MS);
	const wait = waits.get(refused) ?? sleep(spread * (Number(isEnded) + Math.random()));
	waits.set(refused, wait);
	dropOldest(waits, MAX_REMEMBERED);
	await wait;
}
