import type { IDataObject, INode } from 'n8n-workflow';
import type { FaultSpec } from '../../emulator';
import { chat, chatsAt, complete, chatOperations } from '../harness/chats';
import { retryOnFail } from '../harness/ledgerOf';
import { usePlatform } from '../harness/platform';
import { agents, fromAI, runAgent } from '../harness/agentRun';

const platform = usePlatform();

const post = {
	...{ socialAccountId: 'acc_1', text: fromAI('text') },
	mediaUrls: ['https://cdn.example/a.jpg'],
};
const fault = (kind: FaultSpec['kind'], more: Partial<FaultSpec> = {}) =>
	platform.emulator.fault({ kind, ...more });

describe.each(agents)('A tool of $name', ({ type: agent }) => {
	/** Lets the agent call the node with these texts, one after the other. */
	const call = async (texts: string[], parameters: IDataObject, settings?: Partial<INode>) => {
		const turns = texts.map((text) => [{ text }]);
		return await runAgent({ platform, agent, turns, parameters, settings });
	};
	const told = async (parameters: IDataObject, settings?: Partial<INode>) => {
		const [item] = await call(['Hello'], parameters, settings);
		return item!;
	};
	const paragraph = /^\S[^\n\r<>]*[^\n\r<> ]\.$/;

	test('reports a refusal and what to do, in one paragraph', async () => {
		fault('refused', { operation: 'createPost', code: 2150, message: '第一行\n\n  第二行' });
		const { error } = await told(post);
		expect(error).toMatch(paragraph);
		expect(error).toMatch(
			/^The platform refused the post: the request was not accepted \(code 2150: “第一行 第二行”\)\. Read the platform's message\. .* Request ID: [\w-]+\.$/,
		);
	});

	test('reports an unknown outcome and where to look', async () => {
		fault('server-error-after', { operation: 'createPost' });
		const { error } = await told(post);
		expect(error).toMatch(paragraph);
		expect(error).toMatch(
			/^It is not known whether the platform accepted the post: .*\. It was sent on .*acc_1 has a post that begins “Hello”\. Do not call again before a person has checked\.$/,
		);
	});

	test('reports an unknown outcome in the same way at each call', async () => {
		fault('server-error-after', { operation: 'createPost' });
		const [first, second] = await call(['Hello', 'Hello'], post);
		expect(second!.error).toBe(first!.error);
	});

	test('reports which fields are invalid', async () => {
		const { error } = await told({
			...post,
			contentType: 'x'.repeat(65),
			socialAccountId: '={{ "" }}',
		});
		expect(error).toMatch(paragraph);
		expect(error).toMatch(
			/^'Account' is empty; 'Content Type' is longer than 64 characters\. Nothing was sent for this item\. Correct the fields named above\.$/,
		);
	});

	test('reports no advice for the person who builds the workflow', async () => {
		const { error } = await told({ ...post, socialAccountId: '' }, retryOnFail);
		expect(error).toMatch(/^'Account' is empty\. .* Correct the fields named above\.$/);
	});

	test('reports a credential that cannot be used', async () => {
		Object.assign(platform.credential, { baseUrl: 'http://api.example.com' });
		for (const parameters of [post, chat(complete)]) {
			const { error } = await told(parameters);
			expect(error).toMatch(paragraph);
			expect(error).toMatch(/^Nothing was sent for .*\. 'Base URL' starts with .*Settings\)\.$/);
		}
	});

	test('reports the same error when the node continues on errors', async () => {
		fault('refused', { operation: 'createPost', times: 2 });
		const stopping = await told(post);
		const going = await told(post, { onError: 'continueRegularOutput' });
		const plain = ({ error }: IDataObject) =>
			(error as string).replace(/Request ID: [\w-]+/, 'Request ID: …');
		expect(plain(going)).toBe(plain(stopping));
	});

	describe.each(chatOperations)('with the chat operation $operation', (chatOperation) => {
		const chatParameters = chat(chatOperation, fromAI('text'));

		test('returns the reply', async () => {
			const items = await call(['one', 'two'], chatParameters);
			expect(items).toMatchObject([{ text: 'You said: one' }, { text: 'You said: two' }]);
		});

		test('sends the same request again when the agent repeats its call', async () => {
			await call(['same', 'same'], chatParameters);
			expect(chatsAt(platform)).toHaveLength(2);
		});

		test('reports a failure in one paragraph, and can be called again', async () => {
			fault('refused', { message: 'no' });
			fault('server-error-before');
			platform.emulator.scriptChat([{ refusal: 'I\nwould rather not.' }]);
			const texts = ['one', 'two', 'three', 'four'];
			const [first, second, third, fourth] = await call(texts, chatParameters);
			for (const item of [first, second, third]) expect(item!.error).toMatch(paragraph);
			expect(first!.error).toMatch(
				/^The platform refused the chat request: it gave no code \(“no”\)\. [A-Z]/,
			);
			expect(second!.error).toMatch(
				/^No usable response to .*HTTP 500.*\. .*The request publishes nothing/,
			);
			expect(third!.error).toBe(
				'The model refused to answer: “I would rather not.”. Change the wording of the request.',
			);
			expect(fourth).toMatchObject({ text: 'You said: four' });
			expect(platform.received('getAccessToken')).toStrictEqual([]);
		});
	});
});

test('A tool of an agent before version 3 outputs the details of an error as an item', async () => {
	fault('refused', { operation: 'createPost', code: 2150, message: '参数错误' });
	const [item] = await runAgent({ platform, turns: [[{ text: 'Hello' }]], parameters: post });
	expect(item).toStrictEqual({
		error: expect.stringContaining('“参数错误”'),
		details: {
			...{ outcome: 'refused', code: 2150, http_status: 200, request_id: expect.any(String) },
			item_index: 0,
		},
	});
});

test('A node outside an agent keeps message and description separate', async () => {
	fault('refused', { operation: 'createPost', code: 2150 });
	const { error } = await platform.run({}, {});
	expect(error!.message).toMatch(/the request was not accepted \(code 2150: “.+”\)$/);
	expect(error!.description).toMatch(/^Read the platform's message\. /);
});
