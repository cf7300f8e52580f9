import type { IDataObject, INode } from 'n8n-workflow';
import { chat, chatsAt, complete, chatOperations } from '../harness/chats';
import { agents, fromAI } from '../harness/agentRun';
import { usePosts } from './postSetup';

const { platform, fault, callTool } = usePosts();

describe.each(agents)('A tool of $name', ({ type: agent }) => {
	const told = async (parameters: IDataObject = {}, settings?: Partial<INode>) => {
		const [item] = await callTool(agent, [['Hello']], parameters, { settings });
		return item!.error;
	};
	const paragraph = /^\S[^\n\r<>]*[^\n\r<> ]\.$/;

	test('reports a refusal and what to do, in one paragraph', async () => {
		fault('refused', { code: 2150, message: '第一行\n\n  第二行' });
		const error = await told();
		expect(error).toMatch(paragraph);
		expect(error).toMatch(
			/^The platform refused the post: the request was not accepted \(code 2150: “第一行 第二行”\)\. Read the platform's message\. .* Request ID: [\w-]+\.$/,
		);
	});

	test('reports an unknown outcome and where to look, in the same way at each call', async () => {
		fault('server-error-after');
		const [first, second] = await callTool(agent, [['Hello'], ['Hello']]);
		expect(first!.error).toMatch(paragraph);
		expect(first!.error).toMatch(
			/^It is not known whether the platform accepted the post: .*\. It was sent on .*acc_1 has a post that begins “Hello”\. Do not call again before a person has checked\.$/,
		);
		expect(second!.error).toBe(first!.error);
	});

	test('reports a credential that cannot be used', async () => {
		Object.assign(platform.credential, { baseUrl: 'http://api.example.com' });
		for (const parameters of [{}, chat(complete)]) {
			const error = await told(parameters);
			expect(error).toMatch(paragraph);
			expect(error).toMatch(/^Nothing was sent for .*\. 'Base URL' starts with .*Settings\)\.$/);
		}
	});

	test.each(chatOperations)(
		'reports a failure of the chat operation $operation, and repeats equal requests',
		async (chatOperation) => {
			fault('refused', { operation: 'any', message: 'no' });
			fault('server-error-before', { operation: 'any' });
			platform.emulator.scriptChat([{ refusal: 'I\nwould rather not.' }]);
			const turns = ['one', 'two', 'three', 'four', 'four'].map((text) => [text]);
			const items = await callTool(agent, turns, chat(chatOperation, fromAI('text')));
			const errors = items.slice(0, 3).map(({ error }) => error);
			for (const error of errors) expect(error).toMatch(paragraph);
			expect(errors).toStrictEqual([
				expect.stringMatching(
					/^The platform refused the chat request: the request was not accepted \(“no”\)\. [A-Z]/,
				),
				expect.stringMatching(
					/^No usable response to .*HTTP 500.*\. .*The request publishes nothing/,
				),
				'The model refused to answer: “I would rather not.”. Change the wording of the request.',
			]);
			expect(items.slice(3)).toMatchObject(Array(2).fill({ text: 'You said: four' }));
			expect(chatsAt(platform)).toHaveLength(5);
			expect(platform.received('getAccessToken')).toStrictEqual([]);
		},
	);
});

test('A tool of an agent before version 3 outputs the details of an error as an item', async () => {
	fault('refused', { code: 2150, message: '参数错误' });
	const [item] = await callTool(undefined, [['Hello']]);
	expect(item).toStrictEqual({
		error: expect.stringContaining('“参数错误”'),
		details: {
			...{ outcome: 'refused', code: 2150, http_status: 200, request_id: expect.any(String) },
			item_index: 0,
		},
	});
});
