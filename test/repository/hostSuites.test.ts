import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { floor, newest } from '../n8n/hosts';
import { UsageError, roundsOf } from '../host/options';
import { suites, suitesOn } from '../host/suites';

const root = join(__dirname, '..', '..');
const SUFFIX = '.host.test.ts';
const files = readdirSync(join(root, 'test', 'host')).filter((name) => name.endsWith(SUFFIX));
const names = files.map((name) => basename(name, SUFFIX)).sort();

test('Every host suite states what it tests, and with which n8n it does not run', () => {
	expect(Object.keys(suites)).toStrictEqual(names);
	expect(new Set([...suitesOn('newest'), ...suitesOn('floor')])).toStrictEqual(new Set(names));
});

test('The compatibility page has a row for each suite and a column for each n8n', () => {
	const path = join(root, 'docs', 'compatibility.md');
	expect(existsSync(path)).toBe(true);
	const [head = [], , ...rows] = readFileSync(path, 'utf8')
		.split('\n')
		.filter((line) => line.startsWith('|'))
		.map((line) => line.split('|').map((cell) => cell.trim()));
	expect(head.filter(Boolean)).toStrictEqual([
		'Suite',
		`n8n ${newest.version}`,
		`n8n ${floor.version}`,
	]);
	expect(rows.map(([, suite]) => suite)).toStrictEqual([...names, '**All**']);
	for (const [, suite = '', ...cells] of rows.slice(0, -1)) {
		const { notOn = {} } = suites[suite] ?? {};
		const expected = [notOn.newest, notOn.floor].map((why) =>
			why === undefined
				? expect.stringMatching(/^(\*\*\d+ failed\*\*, )?\d+ passed$/)
				: `not run: ${why}`,
		);
		expect([suite, ...cells.slice(0, 2)]).toStrictEqual([suite, ...expected]);
	}
});

describe('The selected host suites', () => {
	test.each([
		[[], { newest: suitesOn('newest'), floor: suitesOn('floor') }],
		[['--suite', 'floor'], { floor: suitesOn('floor') }],
		[['--n8n', 'floor'], { floor: suitesOn('floor') }],
		[['--suite', 'posts'], { newest: ['posts'] }],
		[['--suite', 'limits', '--suite', 'pace'], { newest: ['pace'], floor: ['limits'] }],
		[['--suite', 'posts', '--n8n', 'floor'], { floor: ['posts'] }],
	])('with the arguments %j are %j', (args, rounds) => {
		const found = (roundsOf(args) ?? []).map((round) => [round.host, round.suites]);
		expect(Object.fromEntries(found)).toStrictEqual(rounds);
	});

	test('are rejected when a suite cannot run', () => {
		expect(() => roundsOf(['--suite', 'chatModel', '--n8n', 'floor'])).toThrow(/needs n8n 2\.16/);
		expect(() => roundsOf(['--suite', 'none'])).toThrow(UsageError);
		expect(roundsOf(['--help'])).toBeUndefined();
	});
});
