import type { IDataObject } from 'n8n-workflow';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

/** Returns the value of a field for each item, without sending anything. */
async function valuesOf(field: string, expression: unknown, items: IDataObject[]) {
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
	// These objects look like a resource locator.
	...[
		{ __rl: true, mode: 'id', value: 'x' },
		{ 0: 'y', value: 'x' },
	].map((a) => ({ a })),
	{ a: 'x', 'a b': 'a name with a blank', 'ä-1': 'another', A: 'in upper case' },
	{ A: 'only in upper case' },
	{},
];

const paths = [
	...['.a', '.A', '.a.b', '.a.b.c', '.a[0]', '.a[0].b', '.a[1]', '.a.length', '.missing'],
	...[
		"['a']",
		'["a"]',
		"['a b']",
		"['ä-1']",
		'.a["b"]',
		'.toString',
		'.a.constructor',
		'.__proto__',
	],
];

describe.each(['text', 'socialAccountId'])(
	'An expression in %s that names a field of the input',
	(field) => {
		// n8n itself evaluates an expression in parentheses, so its value can be compared.
		test.each(paths)('returns the same value as n8n for $json%s', async (path) => {
			const plain = await valuesOf(field, `={{ $json${path} }}`, items);
			expect(plain).toHaveLength(items.length);
			expect(plain).toStrictEqual(await valuesOf(field, `={{ ($json${path}) }}`, items));
		});
	},
);

test('Rows of Media that name fields of the input have the same values as in n8n', async () => {
	for (const path of ['.a', '.a[0]', '.a.b']) {
		const rows = (expression: string) => ['https://a.example/0.jpg', expression, expression];
		const plain = await valuesOf('mediaUrls', rows(`={{ $json${path} }}`), items);
		const asked = await valuesOf('mediaUrls', rows(`={{ ($json${path}) }}`), items);
		expect(plain).toStrictEqual(asked);
	}
});

test('Text around an expression is kept', async () => {
	const output = await valuesOf('text', '=« {{ $json.a }} »', [{ a: 'x' }]);
	expect(JSON.stringify(output)).toContain('« x »');
});
