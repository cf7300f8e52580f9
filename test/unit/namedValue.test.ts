import { namedValue } from '../../nodes/SocialOpenPlatform/parameters/namedValue';

const item = {
	text: 'Hello',
	nothing: null,
	empty: '',
	zero: 0,
	flag: false,
	list: ['a', 'b'],
	holes: [null, 'a'],
	post: { 'the title': 'Title', tags: [{ name: 'x' }] },
	when: new Date(0),
	meeting: { at: new Date(0) },
	constructor: 'own',
};

const read = (raw: unknown) => namedValue(raw)?.(item);

describe('namedValue with an expression that only names a value of the item', () => {
	test.each([
		['={{ $json.text }}', 'Hello'],
		['={{$json.text}}', 'Hello'],
		['={{ $json["text"] }}', 'Hello'],
		["={{ $json['text'] }}", 'Hello'],
		["={{ $json.post['the title'] }}", 'Title'],
		['={{ $json.post.tags[0].name }}', 'x'],
		['={{ $json.list }}', ['a', 'b']],
		['={{ $json.holes }}', [null, 'a']],
		['={{ $json.list.length }}', 2],
		['={{ $json.empty }}', ''],
		['={{ $json.zero }}', 0],
		['={{ $json.flag }}', false],
	])('reads %s', (raw, expected) => {
		expect(read(raw)).toStrictEqual(expected);
	});

	test('reads deeply nested and circular data', () => {
		const circular: Record<string, unknown> = { a: 'x' };
		circular.self = [circular, circular];
		const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
		expect(namedValue('={{ $json.circular }}')?.({ circular })).toBe(circular);
		expect(namedValue('={{ $json.deep }}')?.({ deep })).toBe(deep);
	});

	test('reads a row of a list next to a fixed row', () => {
		expect(read(['={{ $json.text }}', 'fixed'])).toStrictEqual(['Hello', 'fixed']);
	});
});

describe('namedValue with another expression', () => {
	test.each([
		'={{ $json.text.length }}',
		'={{ $json.text.toUpperCase() }}',
		'={{ $json.missing }}',
		'={{ $json.text.missing }}',
		'={{ $json.nothing }}',
		'={{ $json.nothing.more }}',
		'={{ $json.list[2] }}',
		'={{ $json.constructor }}',
		'={{ $json.__proto__ }}',
		'={{ $json.toString }}',
		'={{ $json.when }}',
		'={{ $json.meeting }}',
		'={{ $json?.text }}',
		'={{ $json }}',
		'={{ $json.text }} and more',
		'=Text {{ $json.text }}',
		'={{ $json.text }}{{ $json.text }}',
		'={{ $now }}',
		"={{ $('Other').item.json.text }}",
		'={{ $jsonx.text }}',
	])('leaves %s to n8n', (raw) => {
		expect(read(raw)).toBeUndefined();
	});

	test('leaves a list with such an expression to n8n', () => {
		expect(read(['={{ $json.text }}', '={{ $json.missing }}'])).toBeUndefined();
		expect(read(['={{ $json.text }}', '={{ $now }}'])).toBeUndefined();
	});
});
