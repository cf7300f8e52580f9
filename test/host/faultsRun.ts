import { randomBytes } from 'node:crypto';
import { type Emulator, type EmulatorOptions, type FaultMix, startEmulator } from '../emulator';
import type { Execution } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { given, manual, post, row } from '../n8n/workflows';

/** One workflow that creates posts on a separate platform. */
export interface Play {
	name: string;
	/** The number of items in one run. */
	items: number;
	platform?: EmulatorOptions;
	faults?: FaultMix[];
	/** Options of the node besides 10 concurrent requests. */
	options?: Record<string, unknown>;
	/** Settings of the node, such as *On Error*. */
	settings?: Record<string, unknown>;
}

export interface Played {
	emulator: Emulator;
	/** The last execution. */
	execution: Execution;
	/** All data that n8n stores of it and of the executions that it retries. */
	stored: string;
	/** The text of each post. None is the beginning of another. */
	texts: string[];
	/** How often the execution was retried from the list. */
	retries: number;
	seconds: number;
}

/** Longer than any response of the platform takes. */
const TIMEOUT_S = 2;

const PATIENCE_MS = 280_000;

/** The largest number that n8n allows. */
export const MOST_TRIES = 5;

const tried = { retryOnFail: true, maxTries: MOST_TRIES, waitBetweenTries: 50 };

const fields = { text: '={{ $json.text }}', mediaUrls: ['={{ $json.picture }}'] };

export async function play(setup: Setup, { name, items, ...how }: Play): Promise<Played> {
	const started = Date.now();
	const appSecret = randomBytes(24).toString('base64');
	const emulator = await startEmulator({ appSecret, ...how.platform });
	how.faults?.forEach((fault) => emulator.fault(fault));
	const { url: baseUrl, appId } = emulator;
	const credential = await setup.credential(name, { baseUrl, appId, appSecret });
	const options = { timeout: TIMEOUT_S, maxConcurrentRequests: 10, ...how.options };
	const node = post(credential, { ...fields, options }, { ...tried, ...how.settings });
	const texts = Array.from({ length: items }, (_, item) => `Post ${item} of ${name}.`);
	const list = texts.map((text) => ({ text, picture: 'https://example.com/a.jpg' }));
	const { id } = await setup.rest.createWorkflow(given(row(name, manual(), node), ...list));
	const executionId = await setup.rest.start(id, 'Start');
	const execution = await setup.rest.finished(executionId, PATIENCE_MS);
	const { raw: stored } = execution;
	return { emulator, execution, stored, texts, retries: 0, seconds: secondsSince(started) };
}

const MOST_RETRIES = 20;

/** Retries until a retry sends no further request. */
export async function retryToTheEnd(setup: Setup, own: Play): Promise<Played> {
	const started = Date.now();
	const played = await play(setup, own);
	let { execution, stored, retries } = played;
	let sent = -1;
	const goesOn = () => execution.status === 'error' && played.emulator.received.length > sent;
	while (goesOn() && retries < MOST_RETRIES) {
		sent = played.emulator.received.length;
		execution = await setup.rest.retry(execution.id);
		stored += execution.raw;
		retries++;
	}
	return { ...played, execution, stored, retries, seconds: secondsSince(started) };
}

const secondsSince = (started: number): number => Math.round((Date.now() - started) / 1000);

/** Runs a limited number of tasks at the same time. */
export function atOnce(most: number) {
	let room = most;
	const waiting: Array<() => void> = [];
	return async <T>(deed: () => Promise<T>): Promise<T> => {
		if (room > 0) room--;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await deed();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else room++;
		}
	};
}
