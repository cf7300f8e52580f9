import { stringify } from 'flatted';
import type { IExecuteContextData } from 'n8n-workflow';
import { respond, startCustomPlatform } from '../harness/customPlatform';
import { fromAI, runAgent } from '../harness/agentRun';
import { DeduplicationStore } from '../harness/deduplicationStore';
import type { NodeRun } from '../harness/engine';
import { ledgerOf, retryOf, statesOf } from '../harness/ledgerOf';
import { eachText, itemsOf, jsonOf, textOf, textsOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const appId = 'recorded_app';
const platform = usePlatform({ appId });
beforeEach(() => void Object.assign(platform.credential, { appId }));

const created = () => platform.received('createPost');

/** The length of an execution as n8n stores it. */
const lengthOf = (...data: unknown[]) => stringify(data).length;

describe('The stored ledger', () => {
	test.each([
		['adds at most 115 bytes per accepted post', {}, 115],
		['adds no more when the output is the whole response', { fullEnvelope: true }, 115],
	])('%s', async (_, options, limit) => {
		const count = 100;
		const { contextData, run } = await platform.run(eachText(options), { items: itemsOf(count) });
		const { resultData } = run.data;
		const bytes = lengthOf(resultData, contextData) - lengthOf(resultData);
		expect(Object.keys(ledgerOf(contextData))).toHaveLength(count);
		expect(bytes / count).toBeLessThanOrEqual(limit);
	});

	test('adds no more in a retry that outputs the posts again', async () => {
		platform.emulator.fault({ kind: 'refused', operation: 'createPost', bodyHas: textOf(99) });
		const items = itemsOf(100);
		const first = await platform.run(eachText({ maxConcurrentRequests: 1 }), { items });
		const { contextData, run } = await platform.run(eachText(), { items, ...retryOf(first) });
		const { resultData } = run.data;
		const bytes = lengthOf(resultData, contextData) - lengthOf(resultData);
		expect(created()).toHaveLength(101);
		expect(bytes / 100).toBeLessThanOrEqual(115);
	});

	test.each([
		['an additional field', { traceId: 't1' }, {}],
		['a request_id in its data', {}, { request_id: 'other' }],
		['neither message nor request ID', { message: undefined, requestId: undefined }, {}],
	])('restores a response with %s', async (_, more, data) => {
		const body = {
			...{ requestId: 'r1', success: true, message: 'ok', code: 200 },
			...{ data: { action_sn: 'SA1', ...data } },
			...more,
		};
		const server = await startCustomPlatform(platform);
		server.post = (_request, response) => void respond(response, 200, body);
		const first = await platform.run({}, { executionId: 'a' });
		const again = await platform.run({}, retryOf(first));
		const whole = await platform.run({ options: { fullEnvelope: true } }, retryOf(first));
		await server.stop();
		expect(server.posts()).toHaveLength(1);
		expect(jsonOf(again)).toEqual(jsonOf(first));
		expect(jsonOf(whole)).toEqual([body]);
	});
});

/** The context data of an execution with the App ID `recorded_app`, as version 0.1.0 has stored it. */
const recorded: IExecuteContextData = {
	'node:Post': {
		posts: {
			'6O0rei2wqZEB_y6g': {
				'0:0': {
					state: 'accepted',
					sent_at: '2026-11-22T12:52:09.844Z',
					envelope: {
						requestId: 'd268023b-6cf5-413e-91ff-45687776c338',
						success: true,
						message: '请求成功',
						code: 200,
						data: {
							action_sn: 'SA20261122125209000001',
							social_post_id: '9007199254740993',
							status: 'processing',
							platform: 'PHOTO',
							social_account_id: 'acc_1',
							created_at: '2026-11-22T12:52:09.884Z',
						},
					},
					source: '_ZD_kwN9MSMPs8xL',
					fields: 'EaLJoUxhVvDpA9QH',
					request: 'SL1Gzlm-g6DfOuRV',
				},
				'0:1': {
					state: 'unknown',
					clues: {
						sent_at: '2026-11-22T12:52:09.862Z',
						social_account_id: 'acc_1',
						text_beginning: 'post 01.',
					},
					reason: 'the platform responded with HTTP 500: “服务器内部错误”',
					source: 'gqLQLYewyy_ouo9M',
					fields: 'EaLJoUxhVvDpA9QH',
					request: 'JcBPVGIJy_LlJEmq',
				},
				'0:2': {
					state: 'refused',
					sent_at: '2026-11-22T12:52:09.866Z',
					source: 'bfh6RoFlhA83DjZf',
					fields: 'EaLJoUxhVvDpA9QH',
					request: '9iCOOQYm7Z9F-7Qj',
				},
				'0:3': {
					state: 'refused',
					sent_at: '2026-11-22T12:52:09.865Z',
					source: 'mLyDBl8mKDO25toC',
					fields: 'EaLJoUxhVvDpA9QH',
					request: 'kiFMi2tyqIZg0UJl',
				},
			},
		},
		execution: 'recorded',
	},
};

/** The keys in n8n's list after version 0.1.0 has retried this execution and has sent the last two posts. */
const recordedKeys = [
	'+S/2LdW9GIjKd8LxD8GoDA==',
	'/U19AAP4fV2QXcaS7R3l+Q==',
	'6Qt8rMPeFPjDoBEKykHIFA==',
	'7xp4fvynoF1evM30QATFEw==',
];

describe('A retry of an execution that an earlier version has recorded', () => {
	const items = itemsOf(4);
	const retry = async (options = {}, more: Partial<NodeRun> = {}) =>
		await platform.run(eachText(options), {
			...{ items, workflowId: 'recorded', onError: 'continueRegularOutput' },
			...retryOf({ contextData: recorded }),
			...more,
		});
	const envelope = ledgerOf(recorded)['0:0']!.envelope as { requestId: string; data: object };
	let keys: DeduplicationStore;
	beforeEach(async () => {
		keys = await DeduplicationStore.install();
		keys.reset('recorded');
	});

	test('sends only the posts that were refused', async () => {
		const result = await retry();
		expect(textsOf(created()).sort()).toStrictEqual([textOf(2), textOf(3)]);
		const [first, second] = jsonOf(result);
		expect(first).toStrictEqual({ request_id: envelope.requestId, ...envelope.data });
		expect(second).toMatchObject({
			details: { outcome: 'unknown', text_beginning: textOf(1) },
		});
		const again = await retry({}, retryOf(result));
		expect(created()).toHaveLength(2);
		expect(jsonOf(again)).toStrictEqual(jsonOf(result));
		expect(statesOf(again)).toStrictEqual({
			...{ '0:0': 'accepted', '0:1': 'unknown', '0:2': 'accepted', '0:3': 'accepted' },
		});
	});

	test('does not resend posts that another retry with the earlier version has sent', async () => {
		keys.lists.set('recorded n:Post', recordedKeys);
		const result = await retry();
		expect(created()).toHaveLength(0);
		expect(jsonOf(result).slice(2)).toMatchObject([{ skipped: true }, { skipped: true }]);
	});

	test('does not resend a post of an agent', async () => {
		const sent = { state: 'accepted', sent_at: '2026-11-22T13:54:10.445Z', envelope };
		const source = 'P9lm92QJMlIx61CR';
		const digests = { source, fields: 'sxvzN3BXpJWH6ZiQ', request: 'pKggDjx3KPEXVw-O' };
		const posts = { '6O0rei2wqZEB_y6g': { [`tool:${source}`]: { ...sent, ...digests } } };
		const told = await runAgent({
			platform,
			turns: [[{ text: 'hello' }], [{ text: 'other' }]],
			parameters: {
				...{ socialAccountId: 'acc_1', text: fromAI('text') },
				mediaUrls: ['https://cdn.example/a.jpg'],
			},
			contextData: { 'node:Post': { posts, execution: '1' } },
		});
		expect(textsOf(created())).toStrictEqual(['other']);
		expect(told[0]).toMatchObject({ ...envelope.data, repeated: true });
	});
});
