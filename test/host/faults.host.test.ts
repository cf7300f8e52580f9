import { randomBytes } from 'node:crypto';
import { type Emulator, type FaultMix, startEmulator } from '../emulator';
import { knownOutcome, mix, type KnownOutcome } from './faultsMix';
import { thisHost } from '../n8n/hosts';
import { say } from '../n8n/progress';
import type { Execution } from '../n8n/rest';
import { Setup } from '../n8n/setup';
import { given, manual, post, row } from '../n8n/workflows';

/** The environment variable FAULT_SEEDS sets another number of seeds. */
const SEEDS = Array.from(
	{ length: Number(process.env.FAULT_SEEDS ?? thisHost.faultSeeds) },
	(_, index) => index + 1,
);

const operation = 'createPost' as const;
const retryOnFail = { retryOnFail: true, maxTries: 5, waitBetweenTries: 50 };
/** The timeout of a request, which is longer than the platform takes even on a busy machine. */
const options = { timeout: 8, maxConcurrentRequests: 10 };
const fields = { text: '={{ $json.text }}', mediaUrls: ['https://example.com/a.jpg'], options };

let setup: Setup;
let emulator: Emulator;
beforeAll(async () => (setup = await Setup.start()));
afterEach(async () => await emulator?.stop());
afterAll(async () => await setup?.stop());

/** Posts texts on a separate platform with these faults. None of the texts is the beginning of another. */
async function run(seed: number, count: number, faults: FaultMix[], settings = {}) {
	emulator = await startEmulator({ appSecret: randomBytes(24).toString('base64'), seed });
	for (const fault of faults) emulator.fault(fault);
	const { url: baseUrl, appId, appSecret } = emulator;
	const credential = await setup.credential(`seed ${seed}`, { baseUrl, appId, appSecret });
	const texts = Array.from({ length: count }, (_, item) => `Post ${item} of ${seed}.`);
	const node = post(credential, fields, { ...retryOnFail, ...settings });
	const list = texts.map((text) => ({ text }));
	const { id } = await setup.rest.createWorkflow(given(row('faults', manual(), node), ...list));
	const execution = await setup.rest.run(id, 'Start');
	return { texts, execution };
}

type Text = { text: string };

type Output = Array<{ json: Record<string, unknown>; pairedItem?: unknown }>;

/** The reported outcome of each item. An item that was output twice is listed twice. */
function outcomesIn({ runs }: Execution) {
	const outputs = [0, 1].flatMap((index) => {
		const output: Output = runs.Post?.at(-1)?.data?.main[index] ?? [];
		const outcomes = output.map(({ json: { details, action_sn }, pairedItem }) => ({
			...{ outcome: 'accepted', ...(details as { outcome: string } | undefined) },
			...{ item: (pairedItem as { item: number }).item, action_sn },
		}));
		expect(outcomes).toEqual(outcomes.toSorted((one, other) => one.item - other.item));
		return outcomes.map(({ item, outcome, action_sn }) => ({ item, outcome, action_sn }));
	});
	return outputs.sort((one, other) => one.item - other.item);
}

/** Compares the output with the platform. Returns the outcomes of the requests for each text, in order. */
function check(execution: Execution, texts: string[]): Map<string, KnownOutcome[]> {
	const { posts, received } = emulator;
	const sends = new Map(texts.map((text) => [text, [] as KnownOutcome[]]));
	for (const request of received.filter((one) => one.operation === operation)) {
		sends.get((request.body as Text).text)!.push(knownOutcome(request));
	}
	const numbers = new Map(posts.map((made) => [(made.request as Text).text, made.action_sn]));
	say(`  ${received.length} requests, ${posts.length} posts`);
	expect(execution.status).toBe('success');
	// No text was posted twice, or sent again although it may have been accepted.
	expect(numbers.size).toBe(posts.length);
	expect([...sends].filter(([, all]) => all.slice(0, -1).some((one) => one !== 'refused'))).toEqual(
		[],
	);
	expect(outcomesIn(execution)).toEqual(
		texts.map((text, item) => {
			const outcome = sends.get(text)!.at(-1) ?? 'not_sent';
			return { item, outcome, action_sn: outcome === 'accepted' ? numbers.get(text) : undefined };
		}),
	);
	return sends;
}

describe.each(SEEDS)('Posts on a platform with random faults, seed %d', (seed) => {
	it('are output with their state on the platform, and none is posted twice', async () => {
		// n8n retries a node that continues on errors only when its first item is an error.
		const first: FaultMix = { oneOf: [{ kind: 'refused' }], bodyHas: '"Post 0 of', times: 3 };
		const faults = [
			{ ...first, operation },
			{ oneOf: mix('all'), operation, rate: 0.2 },
		];
		const settings = { onError: 'continueErrorOutput' };
		const { texts, execution } = await run(seed, 300, faults, settings);
		const sends = check(execution, texts);
		const faulty = emulator.received.map(({ fault = '' }) => fault).filter(Boolean);
		expect(faulty.length).toBeGreaterThan(30);
		const rejected = faulty.filter((kind) => /^(unauthorized|token)/.test(kind)).length;
		expect(
			emulator.received.filter((one) => one.operation === 'getAccessToken').length,
		).toBeLessThanOrEqual(1 + rejected);
		// n8n has run the node at least four times.
		const refused = [...sends].filter(
			([text, all]) => text === texts[0] || all.at(-1) === 'refused',
		);
		expect(refused.filter(([, all]) => all.length < 4)).toEqual([]);
	});

	it('are all published once if the node stops at refusals and is retried from the list', async () => {
		const faults = [{ oneOf: mix('clear'), operation, rate: 0.2 }];
		const { texts, ...first } = await run(seed, 100, faults, { maxTries: 2 });
		let { execution } = first;
		for (let retries = 0; execution.status === 'error' && retries < 20; retries++) {
			execution = await setup.rest.retry(execution.id);
		}
		expect(execution.id).not.toBe(first.execution.id);
		check(execution, texts);
		expect(emulator.posts).toHaveLength(texts.length);
	});
});
