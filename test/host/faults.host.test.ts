import { type Emulator, FAULTS, type FaultKind } from '../emulator';
import { mix } from './faultsMix';
import { outcomesIn, outOfOrder, withoutDetails } from './faultsOutput';
import { continuing, minAttempts, stopping, stuck } from './faultsPlan';
import {
	atOnce,
	MAX_ATTEMPTS,
	runScenario,
	runAndRetry,
	type Scenario,
	type ScenarioResult,
} from './faultsRun';
import { PlatformRecord } from './faultsRecord';
import { thisHost } from '../n8n/hosts';
import { say } from '../n8n/progress';
import { Setup } from '../n8n/setup';
import { sweep } from '../n8n/sweep';

/** The environment variable FAULT_SEEDS sets another number of seeds. */
const SEEDS = Array.from(
	{ length: Number(process.env.FAULT_SEEDS ?? thisHost.faultSeeds) },
	(_, index) => index + 1,
);
const STOPPING = SEEDS.filter((seed) => seed % 5 === 1);

let setup: Setup;
const results = new Map<string, Promise<ScenarioResult>>();

/** Runs mostly wait for the platform, so several run at the same time. */
beforeAll(async () => {
	setup = await Setup.start();
	const limited = atOnce(4);
	const begin = (own: Scenario, run = runScenario) => {
		const result = limited(async () => await run(setup, own));
		result.catch(() => undefined);
		results.set(own.name, result);
	};
	for (const seed of SEEDS) begin(continuing(seed));
	for (const seed of STOPPING) {
		begin(stopping(seed), runAndRetry);
		begin(stuck(seed), runAndRetry);
	}
	// The search for secrets would delay the platforms of scenarios that still run.
	await Promise.allSettled(results.values());
}, 1_200_000);
afterAll(async () => {
	for (const result of await Promise.allSettled(results.values())) {
		if (result.status === 'fulfilled') await result.value.emulator.stop();
	}
	await setup?.stop();
});

const count = (outcomes: Array<{ outcome: string }>, ...wanted: string[]) =>
	outcomes.filter(({ outcome }) => wanted.includes(outcome)).length;

/** The secrets of this platform that a text contains. */
function secretsIn({ appSecret, tokens }: Emulator, text: string) {
	const issued = tokens.map(({ token }, index) => [`access token ${index + 1}`, token] as const);
	return sweep({ 'App Secret': appSecret, ...Object.fromEntries(issued) }, { texts: { text } });
}

describe('Posts on a platform with random faults', () => {
	it('are tested with every fault of a post', () => {
		const postFaults = Object.entries(FAULTS).filter(([, { chatOnly }]) => !chatOnly);
		const kinds = new Set<FaultKind>(mix('all').map(({ kind }) => kind));
		expect([...kinds].sort()).toEqual(postFaults.map(([kind]) => kind).sort());
	});

	it.each(SEEDS)(
		'are output with their state on the platform, and none is posted twice: seed %d',
		async (seed) => {
			const { emulator, execution, stored, texts, seconds } = await results.get(
				continuing(seed).name,
			)!;
			const record = new PlatformRecord(emulator);
			const attempts = record.expectedAttempts(texts[0]!, MAX_ATTEMPTS);
			const outcomes = outcomesIn(execution);
			say(
				`  seed ${seed}: ${record.sends} sends (${record.faulty} faulty), ${record.created} created, ${record.exchanges} token exchanges; ` +
					`${count(outcomes, 'accepted')} accepted, ${count(outcomes, 'refused', 'not_sent')} refused, ` +
					`${count(outcomes, 'unknown')} unknown; ${attempts} attempts, ${seconds} s`,
			);

			expect(execution.status).toBe('success');
			expect(record.postedTwice).toEqual([]);
			expect(record.resentWrongly).toEqual([]);
			expect(outcomes).toEqual(
				texts.map((text, item) => ({ item, ...record.expectedOutcome(text) })),
			);
			expect(outOfOrder(execution)).toEqual([]);
			expect(withoutDetails(execution)).toEqual([]);
			expect(record.exchanges).toBeLessThanOrEqual(1 + record.tokensRejected);
			expect(record.faulty / record.sends).toBeCloseTo(0.2, 1);

			expect(attempts).toBeGreaterThanOrEqual(minAttempts(seed));
			const refused = texts.filter((text) => record.expectedOutcome(text).outcome === 'refused');
			expect(refused.filter((text) => record.sendsOf(text) < attempts)).toEqual([]);
			expect(secretsIn(emulator, stored)).toEqual([]);
		},
	);
});

describe('Posts of a node that stops at errors and is retried from the list', () => {
	const facts = async (own: Scenario) => {
		const { emulator, execution, stored, texts, retries, seconds } = await results.get(own.name)!;
		const record = new PlatformRecord(emulator);
		say(
			`  ${own.name}: ${record.sends} sends (${record.faulty} faulty), ${record.created} created; ` +
				`${retries} retries, final status ${execution.status}, ${seconds} s`,
		);
		expect(record.postedTwice).toEqual([]);
		expect(record.resentWrongly).toEqual([]);
		expect(secretsIn(emulator, stored)).toEqual([]);
		return { execution, record, texts, retries };
	};

	it.each(STOPPING)('are all published once when no outcome is unknown: seed %d', async (seed) => {
		const { execution, record, texts, retries } = await facts(stopping(seed));
		expect(retries).toBeGreaterThan(0);
		expect(execution.status).toBe('success');
		const expected = texts.map((text, item) => ({ item, ...record.expectedOutcome(text) }));
		expect(count(expected, 'accepted')).toBe(texts.length);
		expect(outcomesIn(execution)).toEqual(expected);
		expect(outOfOrder(execution)).toEqual([]);
	});

	it.each(STOPPING)('stop only at an unknown outcome: seed %d', async (seed) => {
		const { execution, record, texts } = await facts(stuck(seed));
		const outcomes = texts.map((text) => record.expectedOutcome(text).outcome);
		const first = outcomes.find((outcome) => outcome !== 'accepted');
		expect([first, execution.status]).toEqual(
			first === undefined ? [undefined, 'success'] : ['unknown', 'error'],
		);
		if (first) expect(execution.error?.message).toMatch(/not known whether/);
	});
});

describe('A platform that accepts 20 posts per second', () => {
	it('receives 100 posts once and in order, with ten concurrent requests', async () => {
		const own = { name: 'quota', items: 100, platform: { requestsPerSecond: 20 } };
		const { emulator, execution, texts, seconds } = await runScenario(setup, own);
		const record = new PlatformRecord(emulator);
		say(`  quota: ${record.sends} sends, ${record.created} created, ${seconds} s`);
		await emulator.stop();
		expect(execution.status).toBe('success');
		expect(record.postedTwice).toEqual([]);
		expect(record.sends).toBeGreaterThan(texts.length);
		const expected = texts.map((text, item) => ({ item, ...record.expectedOutcome(text) }));
		expect(count(expected, 'accepted')).toBe(texts.length);
		expect(outcomesIn(execution)).toEqual(expected);
		expect(outOfOrder(execution)).toEqual([]);
	});
});
