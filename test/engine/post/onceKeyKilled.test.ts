import { setTimeout as pause } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { KeySetup, keyed } from '../harness/keySetup';
import { jsonOf, textsOf } from '../harness/manyPosts';
import { OtherProcess } from '../harness/otherProcess';
import { until } from '../harness/storage';

const stage = KeySetup.forEachTest();
let other: OtherProcess;
beforeEach(async () => (other = await OtherProcess.start(stage)));
afterEach(async () => await other?.stop());

const parametersOf = (options: IDataObject = {}): IDataObject => ({
	text: '={{ $json.text }}',
	options: { oncePerKey: '={{ $json.key }}', ...options },
});

/** Starts an execution in the other process, which may be killed before it ends. */
function startInOtherProcess(items: IDataObject[], options: IDataObject = {}): void {
	void other.run(parametersOf(options), { items, workflowId: stage.workflowId });
}

const outcomeOf = (json: IDataObject) =>
	json.action_sn ? 'posted' : (json.first as IDataObject).outcome;

/** Kills the other process right after a given number of changes to the list. */
function killAtChange(count: number): Promise<void> {
	const put = stage.deduplication.put.bind(stage.deduplication);
	let changes = 0;
	return new Promise((resolve) => {
		stage.deduplication.put = async (...change) => {
			await put(...change);
			if (++changes === count) resolve(other.stop('SIGKILL'));
		};
	});
}

const unknown = [{ skipped: true, first: { outcome: 'unknown' } }];
const accepted = [{ skipped: true, first: { outcome: 'accepted' } }];

describe('Deduplication Key after a process was killed', () => {
	test('sends the post if it had not been sent', async () => {
		const items = keyed('a', 'b');
		startInOtherProcess(items, { minimumInterval: 60 });
		await until(() => stage.posts.length === 1);
		await pause(6_000);
		await other.stop('SIGKILL');
		const sent = items.findIndex(({ text }) => text === textsOf(stage.created)[0]);
		const json = jsonOf(await stage.run(items));
		expect(json[sent]).toMatchObject(accepted[0]!);
		expect(json[1 - sent]).toMatchObject({ action_sn: stage.posts[1]!.action_sn });
		expect(jsonOf(await stage.run([items[1 - sent]!]))).toMatchObject(accepted);
		expect(stage.created).toHaveLength(2);
	});

	test('reports an unknown outcome if the post had been sent', async () => {
		stage.platform.emulator.fault({ kind: 'slow', delayMs: 60_000, operation: 'createPost' });
		startInOtherProcess(keyed('a'));
		await until(() => stage.created.length === 1);
		await other.stop('SIGKILL');
		expect(jsonOf(await stage.run(keyed('a')))).toMatchObject(unknown);
		expect(jsonOf(await stage.run(keyed('a')))).toMatchObject(unknown);
		expect(stage.created).toHaveLength(1);
	});

	test('does not resend the post of an accepted key that the process was looking up', async () => {
		await other.run(parametersOf(), { items: keyed('a'), workflowId: stage.workflowId });
		await pause(6_000);
		const killed = killAtChange(1);
		startInOtherProcess(keyed('a'));
		await killed;
		expect(jsonOf(await stage.run(keyed('a')))).toMatchObject(unknown);
		expect(stage.created).toHaveLength(1);
	});

	test('sends a post at most once, regardless of the last change of the list', async () => {
		const changes = [1, 2, 3, 4, 5];
		const items = keyed(...changes.map((change) => `killed at ${change}`));
		for (const [index, change] of changes.entries()) {
			if (index > 0) other = await OtherProcess.start(stage);
			const killed = killAtChange(change);
			startInOtherProcess([items[index]!]);
			await killed;
		}
		const sentBefore = textsOf(stage.created);
		const results = jsonOf(await stage.run(items));
		const again = jsonOf(await stage.run(items));
		expect(again.map(({ skipped }) => skipped)).toStrictEqual(changes.map(() => true));
		expect(new Set(textsOf(stage.created)).size).toBe(stage.created.length);
		for (const [index, { text }] of items.entries()) {
			const outcome = outcomeOf(results[index]!);
			expect(
				sentBefore.includes(text as string) ? outcome !== 'posted' : outcome !== 'accepted',
			).toBe(true);
		}
		// The first process was killed when it had only reserved the key.
		expect(outcomeOf(results[0]!)).toBe('posted');
	}, 300_000);
});
