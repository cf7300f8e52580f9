import type { IDataObject } from 'n8n-workflow';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { agents, fromAI, runAgent } from '../harness/agentRun';

const platform = usePlatform();

const NO_TEXT =
	"'Text' has an expression that returns no value for this item; correct it, or leave the field empty or return empty text ('') to post without text";

const sent = () => platform.emulator.posts.map(({ request }) => request as { text?: string });

describe('Create with an expression in Text that returns no value', () => {
	test.each([
		['throws, which n8n turns into null', '={{ $json.n.toFixed(2) + $json.text }}'],
		['names a field that the item does not have', '={{ $json.missing }}'],
		['names a field that is null', '={{ $json.nothing }}'],
		['returns undefined', '={{ undefined }}'],
	])('refuses an expression that %s', async (_, text) => {
		const items = [{ text: 'Hello', nothing: null }];
		const { error } = await platform.run({ text }, { items });
		expect(error?.message).toBe(NO_TEXT);
		expect(error?.description).toContain('Nothing was sent for this item.');
		const checked = await platform.run({ operation: 'validate', text }, { items });
		expect(checked.outputs[0]![0]!.json).toMatchObject({
			...{ valid: false, problems: [{ field: 'Text', message: NO_TEXT.slice(7) }] },
		});
		expect(platform.emulator.received).toEqual([]);
	});

	test('refuses only the item without a value', async () => {
		const { outputs } = await platform.run(
			{ text: '={{ $json.text }}' },
			{ items: [{ text: 'one' }, {}, { text: 'three' }], onError: 'continueErrorOutput' },
		);
		expect(outputs[1]).toMatchObject([
			{
				json: { error: `Post 2 of 3: ${NO_TEXT}`, details: { outcome: 'invalid', item_index: 1 } },
			},
		]);
		expect(sent().map(({ text }) => text)).toEqual(['one', 'three']);
	});

	test('refuses an expression when all of its parts return nothing', async () => {
		const { error } = await platform.run({ text: '={{ $json.title }}\n{{ $json.link }}' });
		expect(error?.message).toBe(
			"'Text' contains only spaces or line breaks; leave it empty to post without text",
		);
		expect(platform.emulator.received).toEqual([]);
	});

	test.each(agents)('refuses the call when $name omits the text', async ({ type }) => {
		const [told] = await runAgent({
			...{ platform, agent: type, turns: [[{ other: 'x' }]] },
			parameters: { socialAccountId: 'acc_1', text: fromAI('text') },
			settings: { onError: 'continueRegularOutput' },
		});
		// Agents before version 3 check the arguments themselves.
		const refusal = type === 'test.agent' ? 'did not match expected schema' : NO_TEXT;
		expect(JSON.stringify(told)).toContain(refusal);
		expect(sent()).toEqual([]);
	});
});

test.each([
	['an empty field', ''],
	['an empty expression', '='],
	['empty text', "={{ $json.text ?? '' }}"],
])('Create sends a post without text when Text is %s', async (_, text) => {
	const { error } = await platform.run({ text });
	expect(error).toBeUndefined();
	expect(sent()).toEqual([expect.not.objectContaining({ text: expect.anything() })]);
});

describe('Validate with optional fields whose expressions return nothing', () => {
	const labels = async (parameters: IDataObject, items: IDataObject[] = [{ nothing: null }]) => {
		const checked = await platform.run({ operation: 'validate', ...parameters }, { items });
		const [json] = jsonOf(checked) as [
			{ valid: boolean; warnings?: Array<{ field: string }>; request_body: object },
		];
		expect(json.valid).toBe(true);
		const { error } = await platform.run(parameters, { items });
		expect(error).toBeUndefined();
		expect(sent().at(-1)).toEqual(json.request_body);
		return (json.warnings ?? []).map(({ field }) => field);
	};

	test.each([
		'={{ $json.missing }}',
		'={{ $json.nothing }}',
		"={{ '' }}",
		'={{ $json.n.toFixed(2) }}',
	])('omits each field with a warning: %s', async (nothing) => {
		const warned = await labels({
			additionalFields: { title: nothing, videoCoverImageUrl: nothing },
			exclusive: {
				...{ altText: nothing, autoFitImage: nothing, collaborators: ['anna', nothing] },
				...{ locationId: nothing, videoCoverOffset: nothing, trialSettingsJson: nothing },
			},
		});
		expect(warned.sort()).toEqual([
			...['Alt Text', 'Auto-Fit Image', 'Collaborators', 'Location ID', 'Title'],
			...['Trial Settings (JSON)', 'Video Cover Image', 'Video Cover Offset'],
		]);
		expect(sent().at(-1)).toMatchObject({ exclusive: { collaborators: ['anna'] } });
	});

	test('does not warn about empty fields', async () => {
		const empty = { altText: '', collaborators: [], locationId: '', trialSettings: {} };
		expect(await labels({ additionalFields: { title: '' }, exclusive: empty })).toEqual([]);
	});
});

// n8n 1.123 to 2.41 pass an empty collection to the node. The builder hints mention this.
test('n8n passes an empty collection when the whole collection is an expression', async () => {
	const whole = '={{ { title: "T", altText: "A" } }}';
	await platform.run({ additionalFields: whole, exclusive: whole });
	expect(Object.keys(sent()[0]!)).toEqual(['social_account_id', 'type', 'text', 'media_urls']);
});

test('Create refuses a time without an offset when the time zone of n8n is not known', async () => {
	const { error } = await platform.run(
		{ publishTime: 'at', publishAt: '2099-01-01T09:00' },
		{ timezone: 'Mars/Phobos' },
	);
	expect(error?.message).toContain("the workflow's time zone 'Mars/Phobos' is not known");
	expect(platform.emulator.received).toEqual([]);
});
