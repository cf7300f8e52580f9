import { DateTime } from 'luxon';
import { checkLimits } from '../../../nodes/SocialOpenPlatform/post/media/files';
import { postOptionFields } from '../../../nodes/SocialOpenPlatform/post/fields';
import { preparePost } from '../../../nodes/SocialOpenPlatform/post/post';
import { postFields } from '../../../nodes/SocialOpenPlatform/post/resource';
import { texts, values as hostileValues, withinTimeLimit } from '../hostileValues';

const circular: Record<string, unknown> = { a: 'x' };
circular.self = [circular];

/** Values that an expression may return, most of them of a type that the field does not expect. */
const values: unknown[] = [
	...[null, undefined, '', '   ', 0, false, true, [], NaN, Infinity, 1.5, 12n, 12345, 2 ** 60],
	...[
		DateTime.fromMillis(4e12),
		circular,
		new Date(NaN),
		new Map([['a', 1]]),
		() => 'x',
		Symbol('s'),
	],
	...['{"a":1e400,"b":[9007199254740993.0]}', '["x",7]', [['x', null]], '1500', 'false'],
	...['x'.repeat(100_000), { a: { b: 'x' } }, { a: undefined, b: 'x' }],
];

/** Returns the text, numbers and Booleans in a value as text. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string' && /^[[{]/.test(value)) return value.match(/[\w.]+/g) ?? [];
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object') return value === undefined ? [] : [`${value as number}`];
	return value === null ? [] : Object.values(value).flatMap(textsIn);
}

const fields = [
	...postFields.map(({ displayName, name }) => [displayName, name, false] as const),
	...postOptionFields.map(
		({ property: { displayName, name } }) => [displayName, name, true] as const,
	),
	// These fields change the text, and are not sent.
].filter(([, name]) => !['postOptions', 'hashtags', 'shortenText', 'textFormat'].includes(name));

/** Prepares a post with a value from an expression in one field. */
function prepare(name: string, isOption: boolean, value: unknown) {
	const given = (one: unknown) => (isOption ? { postOptions: { [name]: one } } : { [name]: one });
	const post = preparePost(
		{
			...{ socialAccountId: 'acc_1', contentType: 'POST', text: 'Hello', postOptions: {} },
			...{ mediaUrls: ['https://a.example/a.jpg'], publishTime: 'at' },
			...{ publishAt: '2099-01-01T09:00:00Z', ...given(value) },
		},
		{
			...{ now: Date.parse('2026-11-21T12:00:00Z'), timezone: 'Europe/Berlin' },
			...{ findAccount: (id) => ({ id }), fieldNames: {}, raw: given('={{ $json.value }}') },
		},
	);
	checkLimits(post, false);
	const reported = [...post.issues, ...post.warnings].map(({ field }) => field);
	return { reported, body: post.body };
}

describe.each(fields)('An expression in %s', (label, name, isOption) => {
	test('sends its whole value, or a message names the field', () => {
		for (const value of values) {
			if (name === 'publishAt' && typeof value === 'object') continue;
			const { reported, body } = prepare(name, isOption, value);
			if (reported.includes(label)) continue;
			const parts = textsIn(value);
			expect([value, parts.length]).not.toEqual([value, 0]);
			for (const part of parts) expect(JSON.stringify(body)).toContain(part);
		}
	});

	test('is read quickly, whatever it returns', () => {
		for (const value of [...texts, ...hostileValues])
			withinTimeLimit(() => prepare(name, isOption, value));
	});
});
