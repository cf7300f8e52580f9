import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chat, complete } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { startTrigger } from '../harness/triggerPlatform';

const root = join(__dirname, '../../..');
const pagesOf = (folder: string) =>
	readdirSync(join(root, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => join(folder, name));

/** The JSON blocks in all documents for users. */
const blocks = ['README.md', ...pagesOf('docs'), 'SECURITY.md'].flatMap((path) =>
	[...readFileSync(join(root, path), 'utf8').matchAll(/```json\n(.*?)```/gs)].map(
		([, json]) => JSON.parse(json!) as object,
	),
);
const [validated, answered, triggered, failed, skipped, ...others] = blocks;

test('The documents contain no JSON blocks other than those compared here', () => {
	expect(skipped).toBeDefined();
	expect(others).toStrictEqual([]);
});

const platform = usePlatform();

test('The README shows the output of Validate', async () => {
	const { outputs } = await platform.run({
		operation: 'validate',
		contentType: 'REEL',
		additionalFields: { title: 'x'.repeat(256) },
	});
	expect(outputs[0]![0]!.json).toEqual(validated);
});

test('The README shows an item of the error output', async () => {
	platform.emulator.fault({
		kind: 'refused',
		operation: 'createPost',
		code: 2150,
		message: 'invalid parameter',
	});
	const { outputs } = await platform.run({}, { onError: 'continueErrorOutput' });
	const { error, details } = outputs[1]![0]!.json as { error: string; details: object };
	const shown = failed as { error: string; details: { description: string } };
	expect(error).toBe(shown.error);
	expect(details).toEqual({
		...shown.details,
		request_id: expect.any(String),
		description: expect.stringContaining(shown.details.description),
	});
});

test('The README shows the output for a key that was used before', async () => {
	await DeduplicationStore.install();
	const options = { oncePerKey: 'article-4711' };
	const more = { workflowId: 'readme' };
	const first = await platform.run({ options }, more);
	const second = await platform.run({ options }, more);
	const shown = skipped as { first: object };
	const { request_id, action_sn, social_post_id } = first.outputs[0]![0]!.json;
	expect(second.outputs[0]![0]!.json).toEqual({
		...shown,
		first: {
			...shown.first,
			...{ request_id, action_sn, social_post_id },
			posted_at: expect.stringMatching(/^\d{4}-.*Z$/),
		},
	});
	expect(platform.emulator.posts).toHaveLength(1);
});

test('The README shows the output of a chat operation', async () => {
	const { outputs } = await platform.run({
		resource: 'chat',
		operation: 'complete',
		model: 'chat-large',
		messages: { message: [{ role: 'user', content: 'A caption, please' }] },
		outputFormat: 'json_schema',
		jsonSchema: { type: 'object', properties: { caption: { type: 'string' } } },
	});
	const { json } = outputs[0]![0]!;
	expect(json).toEqual({ ...answered, id: expect.stringMatching(/^chatcmpl-/) });
	expect(Object.keys(json)).toEqual(Object.keys(answered!));
});

test('The README shows the output of a chat operation with a schema', async () => {
	const { outputs } = await platform.run(
		chat(complete, 'A caption, please', {
			outputFormat: 'json_schema',
			jsonSchema: '{"type":"object","properties":{"caption":{"type":"string"}}}',
		}),
	);
	expect(outputs[0]![0]!.json).toEqual({
		...answered,
		id: expect.stringMatching(/^chatcmpl-/),
	});
});

test('The README shows the output of the trigger', async () => {
	const trigger = await startTrigger();
	const { payload } = triggered as { payload: object };
	// The platform sends this ID as a number.
	const wire = JSON.stringify(payload).replace('"9007199254740993"', '9007199254740993');
	await trigger.deliver(wire);
	expect(trigger.items()).toEqual([
		{ ...triggered, received_at: expect.stringMatching(/^\d{4}-.*Z$/) },
	]);
	await trigger.stop();
});
