import { RECIPES } from '../emulator/webhook/recipe';
import { signedHeaders } from '../emulator/webhook/sign';

export type Kind = 'genuine' | 'forged';

/** A delivery to send. A repetition has the event of another one. */
export interface Planned {
	kind: Kind;
	event: string;
	/** Selects the kind of forgery. */
	number: number;
}

const SHARES = { forged: 0.01, repeated: 0.05 };

/** A generator of numbers from 0 to 1 that depend on the seed only (mulberry32). */
export function randomFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

function shuffled<T>(list: T[], random: () => number): T[] {
	for (let last = list.length - 1; last > 0; last--) {
		const other = Math.floor(random() * (last + 1));
		[list[last], list[other]] = [list[other]!, list[last]!];
	}
	return list;
}

/** Deliveries in random order. Most are genuine, some of these are repeated, and a few are forged. */
export function planned(count: number, random: () => number): Planned[] {
	const forged = Math.round(count * SHARES.forged);
	const repeated = Math.round(count * SHARES.repeated);
	const events = Array.from(
		{ length: count - forged - repeated },
		(_, index) => `evt_${index + 1}`,
	);
	const genuine = (event: string, number: number): Planned => ({ kind: 'genuine', event, number });
	const again = shuffled([...events], random).slice(0, repeated);
	// Every second forgery has the ID of a genuine event, to test that it does not block that event.
	const forgeries = Array.from({ length: forged }, (_, number): Planned => {
		const known = events[Math.floor(random() * events.length)]!;
		return { kind: 'forged', event: number % 2 === 0 ? `forged_${number}` : known, number };
	});
	return shuffled([...events.map(genuine), ...again.map(genuine), ...forgeries], random);
}

/** Headers with a wrong secret, without a signature, and with a changed timestamp. */
const forgedHeaders = [
	(body: string, headers: Record<string, string>, wrong: Record<string, string>) => wrong,
	(body: string, { 'X-Webhook-Signature': _, ...headers }: Record<string, string>) => headers,
	(body: string, headers: Record<string, string>) => ({
		...headers,
		'X-Webhook-Timestamp': String(Number(headers['X-Webhook-Timestamp']) + 1),
	}),
];

/** The request of a delivery, signed with the present time. */
export function requestOf(
	{ kind, event, number }: Planned,
	appSecret: string,
): { body: string; headers: Record<string, string> } {
	const data = { action_sn: `SA_${event}`, status: 'published', platform: 'PHOTO' };
	const body = JSON.stringify({ id: event, event: 'post.published', data });
	const timestamp = String(Math.floor(Date.now() / 1000));
	const signed = (secret: string) =>
		signedHeaders(RECIPES.timestampBody, { body, secret, timestamp, id: event, nonce: '' });
	const json = { 'content-type': 'application/json' };
	if (kind === 'genuine') return { body, headers: { ...json, ...signed(appSecret) } };
	const forge = forgedHeaders[number % forgedHeaders.length]!;
	return {
		body,
		headers: { ...json, ...forge(body, signed(appSecret), signed('another secret')) },
	};
}
