import type { IDataObject } from 'n8n-workflow';
import { KeyStage, keyed } from './keyStage';
import { jsonOf } from './manyPosts';
import { OtherProcess } from './otherProcess';
import { until } from './storage';

const stage = KeyStage.aroundTests();
let other: OtherProcess;
beforeEach(async () => (other = await OtherProcess.start(stage)));
afterEach(async () => await other?.stop());

const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** Starts an execution in the other process, which may not live to end it. */
function startElsewhere(items: IDataObject[], options: IDataObject = {}): void {
	const parameters = {
		text: '={{ $json.text }}',
		options: { oncePerKey: '={{ $json.key }}', ...options },
	};
	void other.run(parameters, { items, workflowId: stage.workflowId });
}

/** Kills the other process right after it has changed the list so many times. */
function killAtChange(count: number): Promise<void> {
	const put = stage.seen.put.bind(stage.seen);
	let changes = 0;
	return new Promise((resolve) => {
		stage.seen.put = async (...change) => {
			await put(...change);
			if (++changes === count) resolve(other.stop('SIGKILL'));
		};
	});
}

const unknown = [{ skipped: true, first: { outcome: 'unknown' } }];
const accepted = [{ skipped: true, first: { outcome: 'accepted' } }];

describe('A key of a process that was killed', () => {
	test('is posted by the next execution when its post had not left', async () => {
		startElsewhere(keyed('a', 'b'), { minimumInterval: 60 });
		await until(() => stage.posts.length === 1);
		await pause(1_500);
		await other.stop('SIGKILL');
		const result = await stage.run(keyed('a', 'b'));
		expect(jsonOf(result)[0]).toMatchObject(accepted[0]!);
		expect(jsonOf(result)[1]).toMatchObject({ action_sn: stage.posts[1]!.action_sn });
		expect(jsonOf(await stage.run(keyed('b')))).toMatchObject(accepted);
		expect(stage.created).toHaveLength(2);
	});

	test('is unknown when its post had left', async () => {
		stage.platform.emulator.fault({ kind: 'slow', delayMs: 60_000, operation: 'createPost' });
		startElsewhere(keyed('a'));
		await until(() => stage.created.length === 1);
		await other.stop('SIGKILL');
		expect(jsonOf(await stage.run(keyed('a')))).toMatchObject(unknown);
		expect(jsonOf(await stage.run(keyed('a')))).toMatchObject(unknown);
		expect(stage.created).toHaveLength(1);
	});

	test('is not posted again when the process was looking up an accepted one', async () => {
		await stage.run(keyed('a'));
		await pause(1_500);
		const killed = killAtChange(1);
		startElsewhere(keyed('a'));
		await killed;
		expect(jsonOf(await stage.run(keyed('a')))).toMatchObject(accepted);
		expect(stage.posts).toHaveLength(1);
	});

	test.each([1, 2, 3, 4, 5])('is posted once at most: killed after %i changes', async (count) => {
		const killed = killAtChange(count);
		startElsewhere(keyed('a'));
		await killed;
		const left = stage.created.length;
		const [first] = jsonOf(await stage.run(keyed('a')));
		const [second] = jsonOf(await stage.run(keyed('a')));
		expect(second).toMatchObject({ skipped: true });
		expect(stage.created.length).toBeLessThanOrEqual(1);
		// Only what was posted is told as accepted.
		if (!first!.action_sn) expect(first!.first).toMatchObject(left ? {} : { outcome: 'unknown' });
	});
});
