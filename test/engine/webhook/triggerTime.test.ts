import { stopClock } from '../harness/clock';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

const recipe = 'timestampBody' as const;

let platform: TriggerPlatform;
// `Date` does not advance, so that the tests can use the exact limits of the window.
beforeEach(async () => {
	stopClock();
	jest.setSystemTime(1_800_000_000_000);
	platform = await startTrigger();
	platform.credential.signatureRecipe = recipe;
});
afterEach(async () => {
	jest.useRealTimers();
	await platform.stop();
});

/** Delivers an event with a timestamp this many seconds ago, or in the future if negative. */
const deliverAged = async (seconds: number) =>
	await platform.deliver(event(), { recipe, timestamp: Date.now() - seconds * 1_000 });

describe('Time Window', () => {
	test.each([
		['300 seconds by default', {}, 300],
		['the value of the option', { timeWindow: 10 }, 10],
		['a value above the default', { timeWindow: 3_600 }, 3_600],
	])('applies in both directions with %s', async (_, options, seconds) => {
		platform.host.node.parameters = { options };
		expect(await deliverAged(seconds)).toMatchObject({ status: 200 });
		expect(await deliverAged(-seconds)).toMatchObject({ status: 200 });
		const refused = { status: 401, body: { ok: false, error: 'refused' } };
		expect(await deliverAged(seconds + 1)).toEqual(refused);
		expect(await deliverAged(-seconds - 1)).toEqual(refused);
		expect(platform.warnings()).toEqual([
			expect.stringContaining(
				`(stale-timestamp): The signed timestamp is ${seconds + 1} seconds old; ${seconds} are allowed.`,
			),
		]);
		expect(platform.host.executions).toHaveLength(2);
	});
});
