import { setTimeout as pause } from 'node:timers/promises';
import { KeyStage, keyed } from '../harness/keyStage';
import { jsonOf, textsOf } from '../harness/manyPosts';
import { OtherProcess } from '../harness/otherProcess';
import { until } from '../harness/storage';

const stage = KeyStage.aroundTests();
let other: OtherProcess;
beforeAll(async () => (other = await OtherProcess.start(stage)));
afterAll(async () => await other?.stop());

describe('Deduplication Key with a key that stays reserved', () => {
	test('lets exactly one other process post the key', async () => {
		const parameters = {
			text: '={{ $json.text }}',
			options: { oncePerKey: '={{ $json.key }}', minimumInterval: 25 },
		};
		const { workflowId } = stage;
		const first = other.run(parameters, { items: keyed('a', 'b'), workflowId });
		await until(() => stage.posts.length === 1);
		await pause(1_000);
		const [result] = jsonOf(await stage.run([{ key: 'b', text: 'from here' }]));
		expect(result).toMatchObject({ action_sn: stage.posts[1]!.action_sn });
		expect((await first).json[1]).toMatchObject({
			skipped: true,
			first: { outcome: 'accepted' },
		});
		expect(textsOf(stage.created)).toStrictEqual(['post 00.', 'from here']);
	}, 90_000);
});
