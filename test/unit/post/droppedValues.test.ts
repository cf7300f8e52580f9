import { DateTime } from 'luxon';
import { warningsOf } from '../../../nodes/SocialOpenPlatform/post/media/check';
import { optionFields } from '../../../nodes/SocialOpenPlatform/post/fields';
import { postFields } from '../../../nodes/SocialOpenPlatform/post/resource';
import { preparePost, type PostContent } from '../../../nodes/SocialOpenPlatform/post/post';
import { texts, values as hostileValues, withinTimeLimit } from '../hostileValues';

const EXPRESSION = '={{ $json.value }}';

const bare = {
	...{ socialAccountId: 'acc_1', contentType: 'POST', text: 'Hello', publishTime: 'at' },
	...{ mediaUrls: ['https://a.example/a.jpg'], publishAt: '2099-01-01T09:00:00Z' },
	postOptions: {},
};

const prepare = (parameters: object, raw: Record<string, unknown>) =>
	preparePost(
		{ ...bare, ...parameters },
		{
			...{ now: Date.parse('2026-11-21T12:00:00Z'), timezone: 'Europe/Berlin' },
			findAccount: (id) => ({ id }),
			raw,
		},
	);

const circular: Record<string, unknown> = { a: 'x' };
circular.self = [circular];

/** Values that an expression may return, most of them of a type that the field does not expect. */
const values: Record<string, unknown> = {
	...{ null: null, undefined, 'empty text': '', spaces: '   ', zero: 0, false: false, true: true },
	...{ 'an empty list': [], NaN: NaN, Infinity: Infinity, 'a fraction': 1.5, 'a BigInt': 12n },
	...{
		'a date': new Date(4e12),
		'a Luxon date': DateTime.fromMillis(4e12),
		'a circular object': circular,
	},
	...{
		'an invalid date': new Date(NaN),
		'a Map': new Map([['a', 1]]),
		'a number with lost digits': 2 ** 60,
	},
	...{ 'JSON text': '{"a":1e400,"b":[9007199254740993.0]}', 'a JSON list': '["x",7]' },
	...{
		'a list in a list': [['x', null]],
		'a number as text': '1500',
		'a Boolean as text': 'false',
	},
	...{ 'long text': 'x'.repeat(100_000), 'an object': { a: { b: 'x' } }, 'an ID': 12345 },
	...{
		'a partly undefined object': { a: undefined, b: 'x' },
		'a function': () => 'x',
		'a symbol': Symbol('s'),
	},
};

/** Returns the text, numbers and Booleans in a value as text. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string' && /^[[{]/.test(value)) return value.match(/[\w.]+/g) ?? [];
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object') return value === undefined ? [] : [`${value as number}`];
	if (value === null) return [];
	if (value instanceof Date || DateTime.isDateTime(value)) return [(value as Date).toJSON()];
	return Object.values(value).flatMap(textsIn);
}

/** Checks that the request contains the whole value, or that an issue or a warning names the field. */
function expectNothingDropped(label: string, value: unknown, prepared: PostContent): void {
	const reported = [...prepared.issues, ...warningsOf(prepared)].map(({ field }) => field);
	if (reported.includes(label)) return;
	const sent = JSON.stringify(prepared.body);
	const parts = textsIn(value);
	expect(parts).not.toHaveLength(0);
	for (const part of parts) expect(sent).toContain(part);
}

type Case = [label: string, name: string, collection?: string];
const fields: Case[] = [
	...postFields
		.filter(({ name }) => name !== 'postOptions')
		.map(({ displayName, name }): Case => [displayName, name]),
	// Hashtags, Shorten Text and Text Format change the text, and are not sent.
	...optionFields
		.map(({ property }) => property)
		.filter(({ name }) => !['hashtags', 'shortenText', 'textFormat'].includes(name))
		.map(({ displayName, name }): Case => [displayName, name, 'postOptions']),
];

describe.each(Object.keys(values))('preparePost with an expression that returns %s', (kind) => {
	const value = values[kind];

	test.each(fields)(
		'sends the value of %s unchanged or reports it',
		(...[label, name, collection]: Case) => {
			if (name === 'publishAt' && typeof value === 'object') return;
			const parameter = collection ? { [collection]: { [name]: value } } : { [name]: value };
			const raw = collection ? { [collection]: { [name]: EXPRESSION } } : { [name]: EXPRESSION };
			expectNothingDropped(label, value, prepare(parameter, raw));
		},
	);

	test.each(['mediaUrls', 'collaborators'])(
		'sends the value of a row of %s unchanged or reports it',
		(name) => {
			const rows = { [name]: ['https://a.example/1.jpg', value] };
			const raw = { [name]: ['https://a.example/1.jpg', EXPRESSION] };
			const isMedia = name === 'mediaUrls';
			const prepared = isMedia
				? prepare(rows, raw)
				: prepare({ postOptions: rows }, { postOptions: raw });
			if (Array.isArray(value) && value.length === 0) return;
			expectNothingDropped(isMedia ? 'Media' : 'Collaborators', value, prepared);
		},
	);
});

test.each(fields)('preparePost reads or refuses any value of %s', (_, name, collection) => {
	for (const value of [...texts, ...hostileValues]) {
		const rows = ['mediaUrls', 'collaborators'].includes(name) ? [value] : value;
		withinTimeLimit(() => {
			const given = { [name]: rows, publishTime: name === 'publishTime' ? value : 'at' };
			warningsOf(prepare(collection ? { [collection]: given } : given, {}));
		});
	}
});
