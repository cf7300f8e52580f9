import { fields } from '../../../nodes/SocialOpenPlatform/post/fields';
import type { ReadingContext } from '../../../nodes/SocialOpenPlatform/post/readers';
import { BOUNDS, brokenBound } from '../../emulator/post-bounds';

const context: ReadingContext = {
	...{ parameters: {}, now: 0, timezone: 'UTC' },
	findAccount: (id) => ({ id }),
};

const bounded = fields.flatMap(({ name, isExclusive, max, read }) => {
	if (name === undefined || max === undefined) return [];
	const path = isExclusive ? `exclusive.${name}` : name;
	return { path, name, isExclusive, max, read };
});

test.each(bounded)('The field $path has at most $max characters', ({ max, read }) => {
	expect(read('x'.repeat(max), context, undefined).issue).toBeUndefined();
	expect(read('x'.repeat(max + 1), context, undefined).issue).toBe(
		`is longer than ${max} characters`,
	);
});

test.each(bounded.filter(({ path }) => path in BOUNDS))(
	'The emulator has the same bound for $path',
	({ name, isExclusive, max }) => {
		const issueOf = (length: number) => {
			const value = { [name]: 'x'.repeat(length) };
			return brokenBound(isExclusive ? { exclusive: value } : value);
		};
		expect([issueOf(max), issueOf(max + 1)]).toEqual([undefined, expect.any(String)]);
	},
);
