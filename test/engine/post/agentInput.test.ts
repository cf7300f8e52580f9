import type { IDataObject } from 'n8n-workflow';
import { agents } from '../harness/agentRun';
import { chat, complete } from '../harness/chats';
import { usePosts } from './postSetup';

const { platform, posts, callTool } = usePosts();

const INSTEAD =
	"uses data of the current item, which an agent can change; read it from a named node, such as {{ $('Node').first().json.account }}";

describe.each(agents)('A field of a tool of $name', ({ type: agent }) => {
	const call = async (parameters: IDataObject) => {
		const items = [{ json: { account: 'acc_1', text: 'Approved' } }];
		const turns = [[{ text: 'Hello', account: 'acc_2' }]];
		const [told] = await callTool(agent, turns, parameters, { items });
		return told!;
	};

	test.each([
		'{{ $json.account }}',
		'{{$input.item.json.account}}',
		'{{ $data.account }}',
		'{{ $items()[0].json.account }}',
		'{{ $thisItem.json.account }}',
		'{{ $tool.parameters.account }}',
		'acc_{{ $json.account }}',
	])('is refused if its expression reads the item: %s', async (expression) => {
		for (const operation of ['create', 'validate']) {
			const { error } = await call({ operation, socialAccountId: `=${expression}` });
			expect(error).toBe(
				`'Account' ${INSTEAD}. Nothing was sent for this item. Correct the fields named above.`,
			);
		}
		expect(platform.emulator.received).toEqual([]);
	});

	test.each([
		['Account', { socialAccountId: { __rl: true, mode: 'id', value: '={{ $json.account }}' } }],
		['Media', { mediaUrls: ['https://cdn.example/a.jpg', '={{ $binary.data }}'] }],
		['Collaborators', { postOptions: { collaborators: ['={{ $json.text }}'] } }],
		['Message', chat(complete, '={{ $json.text }}')],
		['Timeout (Seconds)', { options: { timeout: '={{ $json.t }}' } }],
	])('is named by its label: %s', async (label, parameters) => {
		expect((await call(parameters)).error).toContain(`'${label}' ${INSTEAD}`);
		expect(platform.emulator.received).toEqual([]);
	});

	test('may contain such a name as text before its expression', async () => {
		await call({ text: "=Costs $json {{ $now.year > 0 ? 'today' : '' }}" });
		expect(posts()[0]!.request).toMatchObject({ text: 'Costs $json today' });
	});

	test.each([
		...["{{ $('Start').item.json.text }}", '{{ $("Start").item.json.text }}'],
		...['{{ $(`Start`).pairedItem().json.text }}', '{{ $node["Start"].json.text }}'],
		"{{ $('St\\art').item.json.text }}",
	])('is refused if it reads a node with several items: %s', async (expression) => {
		const items = ['May', 'June'].map((text) => ({ json: { text } }));
		const told = await callTool(agent, [[{}]], { text: `=${expression}` }, { items });
		const error =
			"'Text' may read the wrong item of 'Start', because n8n gives a tool only the first one; put Loop Over Items (Batch Size 1) and Edit Fields before the agent, and use {{ $('Edit Fields').first() }}. Nothing was sent for this item. Correct the fields named above.";
		expect(told).toMatchObject([{ error }, { error }]);
		expect(platform.emulator.received).toEqual([]);
	});

	test('is reported to a model that provides an empty text', async () => {
		const [told] = await callTool(agent, [['']]);
		expect(told!.error).toMatch(/^'Text' is empty; provide a caption\. /);
		expect(platform.emulator.received).toEqual([]);
	});

	test.each(["={{ $('Nowhere').first().json.text }}", '={{ ( }}'])(
		'is named when n8n cannot evaluate its expression: %s',
		async (text) => {
			for (const parameters of [{ text }, chat(complete, text)]) {
				const { error } = await call(parameters);
				expect(error).toMatch(/^'(Text|Messages)' has an expression with an error: \w.*\.$/);
			}
		},
	);

	test("may read other nodes and the model's arguments, and name the item in plain text", async () => {
		await call({
			socialAccountId: "={{ $('Start').item.json.account }}",
			postOptions: {
				altText: 'In n8n, $json is the item',
				title: "={{ $('Start').first().json.text }}",
			},
			toolDescription: '={{ $json.text }}',
		});
		expect(posts()[0]!.request).toMatchObject({
			...{ social_account_id: 'acc_1', text: 'Hello', title: 'Approved' },
			exclusive: { alt_text: 'In n8n, $json is the item' },
		});
	});
});

const [, { type: latest } = agents[0]!] = agents;

test('A call for which n8n reads the arguments of another agent at the same time is refused', async () => {
	const turns = "={{ [[{ text: 'Lake ' + $itemIndex }]] }}" as never;
	const items = [{ json: {} }, { json: {} }];
	const told = await callTool('test.agent', [], {}, { batch: true, items, turns });
	const error =
		'Nothing was sent: n8n mixed up the arguments of this call with those of another call at the same time. Use version 3 of the AI Agent, or make the calls one after the other.';
	expect(told).toMatchObject([{ status: 'processing' }, { error }]);
	expect(posts()).toMatchObject([{ request: { text: 'Lake 0' } }]);
});

test("An argument that 'query' overrides is refused, because a person may have seen only the argument", async () => {
	const [told] = await callTool(latest, [[{ text: 'Approved', query: { text: 'Other' } }]]);
	expect(told!.error).toContain(`'Text' ${INSTEAD}`);
	expect(platform.emulator.received).toEqual([]);
});

test('A tool is refused if an expression in its credential reads the item', async () => {
	platform.credential.appId = '={{ $json.app }}';
	const turns = [[{ text: 'Hello', app: 'other' }]];
	const [told] = await callTool(latest, turns, {}, { items: [{ json: {} }] });
	expect(told!.error).toBe(
		'Nothing was sent for the call. Expressions in the credential read the item, which an agent can change. Enter fixed values.',
	);
	expect(platform.emulator.received).toEqual([]);
});
