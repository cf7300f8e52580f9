import type { IDataObject } from 'n8n-workflow';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

const items: IDataObject[] = [
	...['text', '', ' blank ', '{{ $json.a }}', '=1 + 1', 'https://a.example/1.jpg'],
	...[0, 1.5, -1, true, false, null, undefined],
	...[[], ['https://a.example/1.jpg'], [['x']], [null], {}, { b: 'inner' }],
	...[{ b: { c: 'deep' } }, [{ b: 'in a list' }]],
	// These objects look like a resource locator.
	...[
		{ __rl: true, mode: 'id', value: 'x' },
		{ 0: 'y', value: 'x' },
	],
].map((a) => ({ a, A: 'in upper case', 'a b': 'a name with a blank' }));

const paths = [
	...['.a', '.A', '.a.b', '.a.b.c', '.a[0]', '.a[0].b', '.a.length', '.missing', "['a b']"],
	...['.toString', '.a.constructor', '.__proto__'],
];

const valuesOf = async (expression: string) => {
	const value = `={{ ${expression} }}`;
	const mediaUrls = ['https://a.example/0.jpg', value, value];
	const parameters = { operation: 'validate', text: value, socialAccountId: value, mediaUrls };
	const onError = 'continueRegularOutput' as const;
	return jsonOf(await platform.run(parameters, { items: [...items, {}], onError }));
};

// n8n itself evaluates an expression in parentheses, so its value can be compared.
test.each(paths)(
	'An expression in an account, a text or media returns the same value as n8n for $json%s',
	async (path) => {
		const plain = await valuesOf(`$json${path}`);
		expect(plain).toHaveLength(items.length + 1);
		expect(plain).toStrictEqual(await valuesOf(`($json${path})`));
	},
);

test('Text around an expression is kept', async () => {
	const parameters = { operation: 'validate', text: '=« {{ $json.a }} »' };
	const output = jsonOf(await platform.run(parameters, { items: [{ a: 'x' }] }));
	expect(output).toMatchObject([{ request_body: { text: '« x »' } }]);
});
