import { fields } from '../../../nodes/SocialOpenPlatform/post/fields';
import { BOUNDS, brokenBound } from '../../emulator/post-bounds';

const bounded = fields.flatMap(({ max, body, exclusive, schema }) => {
	const path = body ?? `exclusive.${exclusive}`;
	return max === undefined ? [] : [{ path, max, schema, body }];
});

test.each(bounded)('The field $path has at most $max characters', ({ max, schema }) => {
	expect(schema.safeParse('x'.repeat(max)).success).toBe(true);
	expect(schema.safeParse('x'.repeat(max + 1)).success).toBe(false);
});

test.each(bounded.filter(({ path }) => path in BOUNDS && path !== 'post_date'))(
	'The emulator has the same bound for $path',
	({ path, max, body }) => {
		const name = path.split('.').at(-1)!;
		const issueOf = (length: number) => {
			const value = { [name]: 'x'.repeat(length) };
			return brokenBound(body ? value : { exclusive: value });
		};
		expect([issueOf(max), issueOf(max + 1)]).toEqual([undefined, expect.any(String)]);
	},
);
