import type { IDataObject } from 'n8n-workflow';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

/** The value of a field for each item, without sending anything. */
async function readings(field: string, expression: unknown, items: IDataObject[]) {
	const parameters = { operation: 'validate', [field]: expression } as IDataObject;
	const onError = 'continueRegularOutput' as const;
	return jsonOf(await platform.run(parameters, { items, onError }));
}

const items: IDataObject[] = [
	...['text', '', ' blank ', '{{ $json.a }}', '=1 + 1', 'https://a.example/1.jpg'].map((a) => ({
		a,
	})),
	...[0, 1.5, -1, true, false, null, undefined].map((a) => ({ a })),
	...[[], ['https://a.example/1.jpg'], [['x']], [null], {}, { b: 'inner' }].map((a) => ({ a })),
	{ a: { b: { c: 'deep' } } },
	{ a: [{ b: 'in a list' }] },
	{ a: 'x', 'a b': 'a name with a blank', 'ä-1': 'another', A: 'in upper case' },
	{ A: 'only in upper case' },
	{},
];

const paths = [
	...['.a', '.A', '.a.b', '.a.b.c', '.a[0]', '.a[0].b', '.a[1]', '.a.length', '.missing'],
	...["['a']", '["a"]', "['a b']", "['ä-1']", '.a["b"]', '.toString', '.a.constructor'],
];

describe.each(['text', 'socialAccountId'])(
	'An expression with a field of the input in %s',
	(field) => {
		// n8n evaluates a path with brackets.
		test.each(paths)('has the value that n8n gives for $json%s', async (path) => {
			const plain = await readings(field, `={{ $json${path} }}`, items);
			expect(plain).toHaveLength(items.length);
			expect(plain).toStrictEqual(await readings(field, `={{ ($json${path}) }}`, items));
		});
	},
);

test('Rows of Media URLs with fields of the input have the values that n8n gives', async () => {
	for (const path of ['.a', '.a[0]', '.a.b']) {
		const rows = (expression: string) => ['https://a.example/0.jpg', expression, expression];
		const plain = await readings('mediaUrls', rows(`={{ $json${path} }}`), items);
		const asked = await readings('mediaUrls', rows(`={{ ($json${path}) }}`), items);
		expect(plain).toStrictEqual(asked);
	}
});

test('Text around an expression is kept', async () => {
	const told = await readings('text', '=« {{ $json.a }} »', [{ a: 'x' }]);
	expect(JSON.stringify(told)).toContain('« x »');
});
