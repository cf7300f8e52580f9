import { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';
import { postFields } from '../../nodes/SocialOpenPlatform/actions/post/fields';
import {
	preparePost,
	type PreparedPost,
} from '../../nodes/SocialOpenPlatform/actions/post/request';
import { defaultFieldNames } from '../../nodes/SocialOpenPlatform/protocol/fieldNames';

const EXPRESSION = '={{ $json.value }}';

const bare = {
	...{ socialAccountId: 'acc_1', contentType: 'POST', text: 'Hello', publishTime: 'at' },
	...{ mediaUrls: ['https://a.example/a.jpg'], publishAt: '2099-01-01T09:00:00Z' },
	...{ additionalFields: {}, exclusive: {} },
};

const prepare = (parameters: object, raw: Record<string, unknown>) =>
	preparePost(
		{ ...bare, ...parameters },
		{
			...{ now: new Date('2026-11-21T12:00:00Z'), timezone: 'Europe/Berlin' },
			...{ fieldNames: defaultFieldNames, raw },
		},
	);

const circular: Record<string, unknown> = { a: 'x' };
circular.self = [circular];

/** Values of a type that no field expects. */
const values: Record<string, unknown> = {
	...{ null: null, undefined, 'empty text': '', spaces: '   ', zero: 0, false: false, true: true },
	...{ 'an empty list': [], NaN: NaN, Infinity: Infinity, 'a fraction': 1.5, 'a BigInt': 12n },
	...{ 'a date': new Date(4e12), 'a date of n8n': DateTime.fromMillis(4e12), circular },
	...{ 'no date': new Date(NaN), 'a Map': new Map([['a', 1]]), 'lost digits': 2 ** 60 },
	...{ 'JSON text': '{"a":1e400,"b":[9007199254740993.0]}', 'a JSON list': '["x",7]' },
	...{ 'a list in a list': [['x', null]], 'text of a number': '1500', 'text of a switch': 'false' },
	...{ 'long text': 'x'.repeat(1_000_000), 'an object': { a: { b: 'x' } }, 'an id': 12345 },
	...{
		'JSON null': 'null',
		'half a value': { a: undefined, b: 'x' },
		'a function': () => 'x',
		'a symbol': Symbol('s'),
	},
};

/** The text, numbers and booleans within a value, as text. */
function written(value: unknown): string[] {
	if (typeof value === 'string' && /^[[{]/.test(value)) return value.match(/[\w.]+/g) ?? [];
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object') return value === undefined ? [] : [`${value as number}`];
	if (value === null) return [];
	if (value instanceof Date || DateTime.isDateTime(value)) return [(value as Date).toJSON()];
	return Object.values(value).flatMap(written);
}

/** Checks that everything is sent, or that an issue names the field and what is not sent. */
function expectNothingDropped(label: string, value: unknown, prepared: PreparedPost): void {
	const told = [...prepared.problems, ...prepared.warnings()].map(({ field }) => field);
	if (told.includes(label)) return;
	const sent = JSON.stringify(prepared.body);
	const parts = written(value);
	expect(parts).not.toHaveLength(0);
	for (const part of parts) expect(sent).toContain(part);
}

const collections = ['additionalFields', 'exclusive'];
type Case = [label: string, name: string, collection?: string];
const fields = postFields.flatMap(({ name, displayName, options = [] }): Case[] =>
	collections.includes(name)
		? (options as INodeProperties[]).map((one) => [one.displayName, one.name, name])
		: [[displayName, name]],
);

describe.each(Object.keys(values))('An expression that gives %s', (kind) => {
	const value = values[kind];

	test.each(fields)('is sent unchanged or reported in %s', (...[label, name, collection]: Case) => {
		if (name === 'publishAt' && typeof value === 'object') return;
		const parameter = collection ? { [collection]: { [name]: value } } : { [name]: value };
		const raw = collection ? { [collection]: { [name]: EXPRESSION } } : { [name]: EXPRESSION };
		expectNothingDropped(label, value, prepare(parameter, raw));
	});

	test.each(collections)('is sent unchanged or reported as the whole of %s', (name) => {
		const { displayName } = postFields.find((field) => field.name === name)!;
		expectNothingDropped(displayName, value, prepare({ [name]: value }, { [name]: EXPRESSION }));
	});

	test.each(['mediaUrls', 'collaborators'])(
		'is sent unchanged or reported in a row of %s',
		(name) => {
			const rows = { [name]: ['https://a.example/1.jpg', value] };
			const raw = { [name]: ['https://a.example/1.jpg', EXPRESSION] };
			const isMedia = name === 'mediaUrls';
			const prepared = isMedia
				? prepare(rows, raw)
				: prepare({ exclusive: rows }, { exclusive: raw });
			if (Array.isArray(value) && value.length === 0) return;
			expectNothingDropped(isMedia ? 'Media URLs' : 'Collaborators', value, prepared);
		},
	);
});
