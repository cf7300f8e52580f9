import { randomBytes } from 'node:crypto';
import {
	type Emulator,
	type FaultEffect,
	type FaultKind,
	type FaultMix,
	type ReceivedRequest,
	startEmulator,
} from '../emulator';
import { PostFlow, PostTexts, type Item } from './postFlow';
import { say } from '../n8n/progress';
import type { Execution } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

/** The environment variable FAULT_SEEDS sets another number of seeds. */
const SEEDS = Array.from({ length: Number(process.env.FAULT_SEEDS ?? 1) }, (_, index) => index + 1);

/** The outcome of a post as far as a client can know it. */
type KnownOutcome = 'accepted' | 'refused' | 'unknown';

type PostFault = Exclude<FaultKind, 'stream-cut' | 'stream-error' | 'slow-first-token'>;

/**
 * Every fault of a post with its outcome according to the platform's interface and to HTTP, independent of
 * the node. Chat faults do not apply to posts.
 */
const OUTCOMES: Record<PostFault, KnownOutcome> = {
	'unauthorized-401': 'refused',
	'token-rejected-200': 'refused',
	'rate-limited-429': 'refused',
	'too-frequent-200': 'refused',
	'refused-without-code': 'refused',
	refused: 'refused',
	'success-false-code-200': 'refused',
	'echo-secrets': 'refused',
	slow: 'accepted',
	'server-error-before': 'unknown',
	'server-error-after': 'unknown',
	'reset-before': 'unknown',
	'reset-after': 'unknown',
	'no-answer': 'unknown',
	'truncated-json': 'unknown',
	html: 'unknown',
	// 302 does not say whether the post was accepted. 307 would say that it was not.
	redirect: 'unknown',
	'success-true-code-500': 'unknown',
};

/** The outcome of a request as far as the client can know it. */
function knownOutcome({ status, fault, tookEffect }: ReceivedRequest): KnownOutcome {
	// Without a status, the platform has sent no response or only a part of one.
	if (status === null) return 'unknown';
	if (fault !== undefined) return OUTCOMES[fault as PostFault];
	return tookEffect ? 'accepted' : 'refused';
}

const details: Partial<Record<FaultKind, Array<Omit<FaultEffect, 'kind'>>>> = {
	'rate-limited-429': [{ retryAfter: 1 }, {}],
	slow: [{ delayMs: 300 }],
	refused: [{ code: 2150, message: '图片不符合要求' }],
};

/** The faults to choose from. */
const mix: FaultEffect[] = (Object.keys(OUTCOMES) as PostFault[]).flatMap((kind) =>
	(details[kind] ?? [{}]).map((more) => ({ kind, ...more })),
);

const operation = 'createPost' as const;
/** The timeout of a request, which is longer than the platform takes even on a busy machine. */
const options = { timeout: 8, maxConcurrentRequests: 10 };

let emulator: Emulator;

/** Posts texts on a separate platform with these faults. None of the texts is the beginning of another. */
async function run(setup: Setup, seed: number, count: number, faults: FaultMix[]) {
	emulator = await startEmulator({ appSecret: randomBytes(24).toString('base64'), seed });
	for (const fault of faults) emulator.fault({ operation, ...fault });
	const { url: baseUrl, appId, appSecret } = emulator;
	const credential = await setup.credential(`seed ${seed}`, { baseUrl, appId, appSecret });
	const texts = Array.from({ length: count }, (_, item) => `Post ${item} of ${seed}.`);
	const retry = { retryOnFail: true, maxTries: 5, waitBetweenTries: 50 };
	const settings = { ...retry, onError: 'continueErrorOutput' };
	const flow = await PostFlow.active(setup, credential, { options, settings });
	return { texts, execution: await flow.run(texts.map((text) => ({ text }))) };
}

/** The reported outcome of each item. An item that was output twice is listed twice. */
function outcomesIn({ runs }: Execution) {
	const output = (runs.Post?.at(-1)?.data?.main ?? []).flatMap((items) => items ?? []);
	const outcomes = output.map(({ json: { details, action_sn }, pairedItem }) => ({
		item: (pairedItem as { item: number }).item,
		outcome: (details as { outcome: string } | undefined)?.outcome ?? 'accepted',
		action_sn,
	}));
	return outcomes.sort((one, other) => one.item - other.item);
}

/** Compares the output with the platform. @returns the outcomes of the requests for each text, in order */
function check(execution: Execution, texts: string[]): KnownOutcome[][] {
	const { posts, received } = emulator;
	const requests = received.filter((one) => one.operation === operation);
	const sends = texts.map((text) =>
		requests.filter(({ body }) => (body as Item).text === text).map(knownOutcome),
	);
	say(`  ${requests.length} requests, ${posts.length} posts`);
	expect(execution.status).toBe('success');
	const posted = new PostTexts(emulator).posted();
	expect(new Set(posted).size).toBe(posted.length);
	// No post was sent again although it may have been accepted.
	expect(sends.filter((all) => all.slice(0, -1).some((one) => one !== 'refused'))).toEqual([]);
	expect(outcomesIn(execution)).toEqual(
		sends.map((all, item) => {
			const outcome = all.at(-1) ?? 'not_sent';
			const made = posts[posted.indexOf(texts[item]!)];
			return { item, outcome, action_sn: outcome === 'accepted' ? made?.action_sn : undefined };
		}),
	);
	return sends;
}

/** Tests posts on a platform with random faults. */
export function testFaults(setup: () => Setup): void {
	afterEach(async () => await emulator?.stop());

	it.each(SEEDS)(
		'Posts on a platform with random faults are output with their state there, and none is posted twice: seed %d',
		async (seed) => {
			// n8n retries a node that continues on errors only when its first item is an error.
			const first: FaultMix = { oneOf: [{ kind: 'refused' }], bodyHas: '"Post 0 of', times: 3 };
			const { texts, execution } = await run(setup(), seed, 200, [
				first,
				{ oneOf: mix, rate: 0.2 },
			]);
			const sends = check(execution, texts);
			const faulty = emulator.received.map(({ fault = '' }) => fault).filter(Boolean);
			expect(faulty.length).toBeGreaterThan(20);
			const rejected = faulty.filter((kind) => /^(unauthorized|token)/.test(kind)).length;
			const exchanges = emulator.received.filter((one) => one.operation === 'getAccessToken');
			expect(exchanges.length).toBeLessThanOrEqual(1 + rejected);
			// n8n has run the node at least four times.
			expect(sends[0]!.length).toBeGreaterThanOrEqual(4);
			expect(sends.filter((all) => all.at(-1) === 'refused' && all.length < 4)).toEqual([]);
		},
	);
}
