import { setTimeout as pause } from 'node:timers/promises';
import { KeySetup, keyed } from '../harness/keySetup';
import { jsonOf, textsOf } from '../harness/manyPosts';
import { OtherProcess } from '../harness/otherProcess';
import { until } from '../harness/storage';

const setup = KeySetup.forEachTest();
let other: OtherProcess;
beforeAll(async () => (other = await OtherProcess.start(setup)));
afterAll(async () => await other?.stop());

describe('Deduplication Key with a key that stays reserved', () => {
	test('lets exactly one other process send the post', async () => {
		const parameters = {
			text: '={{ $json.text }}',
			options: { oncePerKey: '={{ $json.key }}', minimumInterval: 25 },
		};
		const { workflowId } = setup;
		const first = other.run(parameters, { items: keyed('a', 'b'), workflowId });
		await until(() => setup.posts.length === 1);
		await pause(1_000);
		const [result] = jsonOf(await setup.run([{ key: 'b', text: 'from here' }]));
		expect(result).toMatchObject({ action_sn: setup.posts[1]!.action_sn });
		expect((await first).json[1]).toMatchObject({
			skipped: true,
			first: { outcome: 'accepted' },
		});
		expect(textsOf(setup.created)).toStrictEqual(['post 00.', 'from here']);
	}, 90_000);
});
