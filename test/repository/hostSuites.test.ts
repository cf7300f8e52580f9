import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { HostName } from '../n8n/hosts';
import { UsageError, jobsOf, type Job } from '../host/options';
import { suites, suitesOn, usualSuitesOn } from '../host/suites';

const root = join(__dirname, '..', '..');
const SUFFIX = '.host.test.ts';
const files = readdirSync(join(root, 'test', 'host')).filter((name) => name.endsWith(SUFFIX));
const names = files.map((name) => basename(name, SUFFIX)).sort();

test('Every host suite states what it tests, and with which n8n it does not run', () => {
	expect(Object.keys(suites)).toStrictEqual(names);
	expect(new Set([...suitesOn('newest'), ...suitesOn('floor')])).toStrictEqual(new Set(names));
});

const wordsOf = (args: string) => args.split(' ').filter(Boolean);

const jobs = (host: HostName, names: string[]) => names.map((suite) => ({ host, suite }));

describe('The selected host suites', () => {
	test.each([
		['', [...jobs('newest', suitesOn('newest')), ...jobs('floor', usualSuitesOn('floor'))]],
		['--all', [...jobs('newest', suitesOn('newest')), ...jobs('floor', suitesOn('floor'))]],
		['--n8n floor', jobs('floor', usualSuitesOn('floor'))],
		['--suite posts', jobs('newest', ['posts'])],
		['--suite limits --suite posts', [...jobs('floor', ['limits']), ...jobs('newest', ['posts'])]],
		['--suite posts --n8n floor', jobs('floor', ['posts'])],
	])('with the arguments “%s” are the expected ones', (args, expected) => {
		expect(jobsOf(wordsOf(args))).toStrictEqual(expected);
	});

	test('are rejected when a suite cannot run', () => {
		expect(() => jobsOf(['--suite', 'chatModel', '--n8n', 'floor'])).toThrow(/needs n8n 2\.16/);
		expect(() => jobsOf(['--suite', 'none'])).toThrow(UsageError);
		expect(jobsOf(['--help'])).toBeUndefined();
	});

	test('of all jobs of the CI workflow are those of a run without options', () => {
		const workflow = readFileSync(join(root, '.github', 'workflows', 'ci.yml'), 'utf8');
		const commands = [...workflow.matchAll(/npm run test:host -- ([^&\n]*)/g)];
		const run = commands.flatMap(([, args = '']) => jobsOf(wordsOf(args)) ?? []);
		const sorted = (some: Job[]) => some.map(({ host, suite }) => `${host} ${suite}`).sort();
		expect(sorted(run)).toStrictEqual(sorted(jobsOf([]) ?? []));
	});
});
