import { HumanMessage } from '@langchain/core/messages';
import { chatsAt } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { modelMethods, runWithModel } from '../harness/modelTask';
import type { Model } from '../harness/modelUser.node';

const platform = usePlatform();

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const picture = (url: string) => ({ type: 'image_url', image_url: { url } });
const text = { type: 'text', text: 'What is this?' };
const pdf = { source_type: 'base64', mime_type: 'application/pdf', data: 'JVBERi0=' };
const metadata = { filename: 'article.pdf' };

/** Content blocks as an agent passes them, and the parts that are sent. */
const blocks: Array<[string, object, object]> = [
	['a picture in an object', picture(PNG), picture(PNG)],
	['a picture in a text', { type: 'image_url', image_url: PNG }, picture(PNG)],
	[
		'a picture in detail',
		{ type: 'image_url', image_url: { url: PNG, detail: 'auto' } },
		picture(PNG),
	],
	['an address in an object', picture('https://cdn.example/a'), picture('https://cdn.example/a')],
	[
		'an address in a text',
		{ type: 'image_url', image_url: 'https://cdn.example/a.jpg' },
		picture('https://cdn.example/a.jpg'),
	],
	[
		'a picture by its type',
		{ type: 'image', source_type: 'base64', mime_type: 'image/png', data: 'iVBORw0KGgo=' },
		picture(PNG),
	],
	[
		'a picture with an empty URL field',
		{ type: 'image', source_type: 'url', mime_type: 'image/png', url: PNG, image_url: null },
		picture(PNG),
	],
	[
		'a file by its type',
		{ type: 'file', ...pdf, metadata },
		{
			type: 'file',
			file: { filename: 'article.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
		},
	],
	[
		'a file without a name',
		{ type: 'file', ...pdf },
		{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } },
	],
];

describe.each(modelMethods)('A chat model called with $method', ({ ask }) => {
	const sent = async (content: object[], modelOf = (model: Model) => model) => {
		const { error } = await runWithModel(platform, async (model) => {
			await ask(modelOf(model), [
				['system', 'Look'],
				new HumanMessage({ content: content as never }),
			]);
		});
		expect(error).toBeUndefined();
		const { messages } = chatsAt(platform).at(-1)!.body as { messages: unknown[] };
		expect(messages[0]).toStrictEqual({ role: 'system', content: 'Look' });
		return messages[1];
	};

	test.each(blocks)('sends %s', async (_, block, part) => {
		expect(await sent([text, block])).toStrictEqual({ role: 'user', content: [text, part] });
	});

	test('sends all kinds of blocks in order when it has tools', async () => {
		const tool = { name: 'look', description: 'Looks', schema: { type: 'object', properties: {} } };
		const given = blocks.map(([, block]) => structuredClone(block));
		const content = await sent(given, (model) => model.bindTools([tool]));
		expect(content).toStrictEqual({ role: 'user', content: blocks.map(([, , part]) => part) });
	});
});

test('A chat model does not change the messages that it sends', async () => {
	const content = [text, picture(PNG), { type: 'file', ...pdf, metadata }];
	const message = new HumanMessage({ content: structuredClone(content) as never });
	await runWithModel(platform, async (model) => await model.invoke([message]));
	expect(message.content).toStrictEqual(content);
});
