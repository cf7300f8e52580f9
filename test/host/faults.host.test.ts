import { type Emulator, FAULTS, type FaultKind } from '../emulator';
import { mix } from './faultsMix';
import { fatesIn, outOfOrder, withoutClues } from './faultsOutput';
import { continuing, leastTries, stopping, stuck } from './faultsPlan';
import { atOnce, MOST_TRIES, play, retryToTheEnd, type Play, type Played } from './faultsRun';
import { PlatformRecord } from './faultsRecord';
import { thisHost } from '../n8n/hosts';
import { say } from '../n8n/progress';
import { Setup } from '../n8n/setup';
import { sweep } from '../n8n/sweep';

/**
 * Many posts on a platform that fails at random, with five seeds, or fewer on the oldest n8n. The
 * environment variable FAULT_SEEDS sets another number.
 */
const SEEDS = Array.from(
	{ length: Number(process.env.FAULT_SEEDS ?? thisHost.faultSeeds) },
	(_, index) => index + 1,
);
const STOPPING = SEEDS.filter((seed) => seed % 5 === 1);

let setup: Setup;
const plays = new Map<string, Promise<Played>>();

/** Runs mostly wait for the platform, so several run at the same time. */
beforeAll(async () => {
	setup = await Setup.start();
	const rotated = atOnce(4);
	const begin = (own: Play, deed = play) => {
		const played = rotated(async () => await deed(setup, own));
		played.catch(() => undefined);
		plays.set(own.name, played);
	};
	for (const seed of SEEDS) begin(continuing(seed));
	for (const seed of STOPPING) {
		begin(stopping(seed), retryToTheEnd);
		begin(stuck(seed), retryToTheEnd);
	}
});
afterAll(async () => {
	for (const played of await Promise.allSettled(plays.values())) {
		if (played.status === 'fulfilled') await played.value.emulator.stop();
	}
	await setup?.stop();
});

const count = (outcomes: Array<{ outcome: string }>, ...wanted: string[]) =>
	outcomes.filter(({ outcome }) => wanted.includes(outcome)).length;

/** The secrets of this platform that a text contains. */
function secretsIn({ appSecret, tokens }: Emulator, text: string) {
	const issued = tokens.map(({ token }, index) => [`access token ${index + 1}`, token] as const);
	return sweep({ 'app secret': appSecret, ...Object.fromEntries(issued) }, { texts: { text } });
}

describe('Posts on a platform that fails at random', () => {
	it('meet every fault of a post', () => {
		const strikable = Object.entries(FAULTS).filter(([, { chatOnly }]) => !chatOnly);
		const kinds = new Set<FaultKind>(mix('all').map(({ kind }) => kind));
		expect([...kinds].sort()).toEqual(strikable.map(([kind]) => kind).sort());
	});

	it.each(SEEDS)(
		'are output as the platform has them, none posted twice: seed %d',
		async (seed) => {
			const { emulator, execution, stored, texts, seconds } = await plays.get(
				continuing(seed).name,
			)!;
			const record = new PlatformRecord(emulator);
			const tries = record.triesBecauseOf(texts[0]!, MOST_TRIES);
			const fates = fatesIn(execution);
			say(
				`  seed ${seed}: ${record.sends} sends (${record.struck} struck), ${record.created} created, ${record.exchanges} token exchanges; ` +
					`${count(fates, 'accepted')} accepted, ${count(fates, 'refused', 'not_sent')} refused, ` +
					`${count(fates, 'unknown')} unknown; ${tries} tries, ${seconds} s`,
			);

			expect(execution.status).toBe('success');
			expect(record.twice).toEqual([]);
			expect(record.sentTooOften).toEqual([]);
			expect(fates).toEqual(texts.map((text, item) => ({ item, ...record.fateOf(text) })));
			expect(outOfOrder(execution)).toEqual([]);
			expect(withoutClues(execution)).toEqual([]);
			expect(record.exchanges).toBeLessThanOrEqual(1 + record.tokensRejected);
			expect(record.struck / record.sends).toBeCloseTo(0.2, 1);

			expect(tries).toBeGreaterThanOrEqual(leastTries(seed));
			const refused = texts.filter((text) => record.fateOf(text).outcome === 'refused');
			expect(refused.filter((text) => record.sendsOf(text) < tries)).toEqual([]);
			expect(secretsIn(emulator, stored)).toEqual([]);
		},
	);
});

describe('Posts of a node that stops at an error and is retried from the list', () => {
	const facts = async (own: Play) => {
		const { emulator, execution, stored, texts, retries, seconds } = await plays.get(own.name)!;
		const record = new PlatformRecord(emulator);
		say(
			`  ${own.name}: ${record.sends} sends (${record.struck} struck), ${record.created} created; ` +
				`${retries} retries, at last ${execution.status}, ${seconds} s`,
		);
		expect(record.twice).toEqual([]);
		expect(record.sentTooOften).toEqual([]);
		expect(secretsIn(emulator, stored)).toEqual([]);
		return { execution, record, texts, retries };
	};

	it.each(STOPPING)('are all published once when no outcome is unknown: seed %d', async (seed) => {
		const { execution, record, texts, retries } = await facts(stopping(seed));
		expect(retries).toBeGreaterThan(0);
		expect(execution.status).toBe('success');
		const expected = texts.map((text, item) => ({ item, ...record.fateOf(text) }));
		expect(count(expected, 'accepted')).toBe(texts.length);
		expect(fatesIn(execution)).toEqual(expected);
		expect(outOfOrder(execution)).toEqual([]);
	});

	it.each(STOPPING)('stop only at an unknown outcome: seed %d', async (seed) => {
		const { execution, record, texts } = await facts(stuck(seed));
		const outcomes = texts.map((text) => record.fateOf(text).outcome);
		const first = outcomes.find((outcome) => outcome !== 'accepted');
		expect([first, execution.status]).toEqual(
			first === undefined ? [undefined, 'success'] : ['unknown', 'error'],
		);
		if (first) expect(execution.error?.message).toMatch(/not known whether/);
	});
});

describe('A platform that accepts 20 posts per second', () => {
	it('receives 100 posts, ten at a time, each once and in order', async () => {
		const own = { name: 'quota', items: 100, platform: { requestsPerSecond: 20 } };
		const { emulator, execution, texts, seconds } = await play(setup, own);
		const record = new PlatformRecord(emulator);
		say(`  quota: ${record.sends} sends, ${record.created} created, ${seconds} s`);
		await emulator.stop();
		expect(execution.status).toBe('success');
		expect(record.twice).toEqual([]);
		expect(record.sends).toBeGreaterThan(texts.length);
		const expected = texts.map((text, item) => ({ item, ...record.fateOf(text) }));
		expect(count(expected, 'accepted')).toBe(texts.length);
		expect(fatesIn(execution)).toEqual(expected);
		expect(outOfOrder(execution)).toEqual([]);
	});
});
