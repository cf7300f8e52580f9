import { chat, complete } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { startTrigger } from '../harness/triggerPlatform';
import { pages } from './pages';

/** Returns the JSON blocks of a page. */
const blocksIn = (page: string) =>
	[...page.matchAll(/```json\n(.*?)```/gs)].map(([, json]) => JSON.parse(json!) as object);

const blocks = [...pages].flatMap(([path, page]) =>
	blocksIn(page).map((block) => ({ path, block })),
);
const blockOf = (path: string, index = 0) =>
	blocks.filter((one) => one.path === path)[index]?.block;

const validated = blockOf('docs/operations.md');
const answered = blockOf('docs/operations.md', 1);
const triggered = blockOf('docs/trigger.md');
const failed = blockOf('docs/troubleshooting.md');
const skipped = blockOf('docs/never-twice.md');

test('The documents contain no JSON blocks other than those compared here', () => {
	const compared = [validated, answered, triggered, failed, skipped];
	expect(compared).not.toContain(undefined);
	expect(new Set(blocks.map(({ block }) => block))).toEqual(new Set(compared));
	expect(blocks).toHaveLength(compared.length);
});

const platform = usePlatform();

test('The documents show the output of Validate', async () => {
	const { outputs } = await platform.run({
		operation: 'validate',
		contentType: 'REEL',
		postOptions: { title: 'x'.repeat(256) },
	});
	expect(outputs[0]![0]!.json).toEqual(validated);
});

test('The documents show an item of the error output', async () => {
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

test('The documents show the output for a key that was used before', async () => {
	await DeduplicationStore.install();
	const options = { oncePerKey: 'article-4711' };
	const more = { workflowId: 'documents' };
	await platform.run({ options }, more);
	const second = await platform.run({ options }, more);
	expect(second.outputs[0]![0]!.json).toEqual(skipped);
	expect(platform.emulator.posts).toHaveLength(1);
});

test('The documents show the output of a chat operation', async () => {
	const { outputs } = await platform.run(
		chat(complete, 'A caption, please', {
			outputFormat: 'json_schema',
			jsonSchema: '{"type":"object","properties":{"caption":{"type":"string"}}}',
		}),
	);
	const { json } = outputs[0]![0]!;
	expect(json).toEqual({ ...answered, id: expect.stringMatching(/^chatcmpl-/) });
	expect(Object.keys(json)).toEqual(Object.keys(answered!));
});

test('The documents show the output of the trigger', async () => {
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
