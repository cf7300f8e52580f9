import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { roundsOf } from '../host/options';
import { read } from './documents';
import { root } from './repositoryFiles';

/** Checks that the commands in the README work. */

const readme = read('README.md');

/** Returns the npm commands with their arguments. A separate `-- …` belongs to the command before it. */
function commandsIn(text: string): string[] {
	let script = '';
	const said = [...text.matchAll(/`([^`\n]+)`|```sh\n(.*?)\n```/gs)].flatMap(([, code, block]) =>
		(code ?? block)!.split(' && '),
	);
	const commands = said.flatMap((code) => {
		if (code.startsWith('-- ')) return [`${script} ${code}`];
		if (!/^npm /.test(code)) return [];
		script = code.split(' -- ')[0]!;
		return [code];
	});
	return [...new Set(commands)];
}

const helpTexts = new Map<string, string>();

/** Returns the help text of a program of this project. */
function helpOf(script: keyof typeof packageJson.scripts): string {
	const known = helpTexts.get(script);
	if (known !== undefined) return known;
	const [tsx, file] = packageJson.scripts[script].split(' ');
	expect(tsx).toBe('tsx');
	const args = ['--import', 'tsx', join(root, file!), '--help'];
	const help = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
	helpTexts.set(script, help);
	return help;
}

const ci = read('.ci/run');
const inCi = (command: string) => () => expect(ci).toContain(`run '${command}' ${command}\n`);
const rounds = (args: string) => () => expect(roundsOf(args.split(' '))).not.toStrictEqual([]);

const checks: Record<string, () => void> = {
	'npm ci': inCi('npm ci'),
	'npm run demo': inCi('npm run demo -- --once'),
	'npm run demo -- --once': inCi('npm run demo -- --once'),
	'npm test': inCi('npm test -- --coverage'),
	'npm run lint': inCi('npm run lint'),
	'npm run scan': inCi('npm run scan'),
	'npm run test:host': inCi('npm run test:host'),
	// The build ends before anything is packed.
	'npm run build': () => {
		expect(read('test/scan/run.ts')).toContain("npm(['run', '--silent', 'build'])");
	},
	'npm run test:host -- --suite posts': rounds('--suite posts'),
	'npm run test:host -- --suite posts --n8n floor': rounds('--suite posts --n8n floor'),
	'npm run test:host -- --suite floor': rounds('--suite floor'),
	'npm run test:host -- --help': () => expect(helpOf('test:host')).toContain('--suite NAME'),
	'npm run bench': () => expect(helpOf('bench')).toContain('npm run bench -- NAME'),
	'npm run bench -- trigger': () => expect(helpOf('bench')).toMatch(/one of: .*\btrigger\b/),
	'npm run bench -- posts': () => expect(helpOf('bench')).toMatch(/one of: .*\bposts\b/),
	// test/emulator/cli.test.ts starts the emulator with all flags.
	'npm run emulator': () => expect(helpOf('emulator')).toContain('npm run emulator -- '),
	'npm run emulator -- --help': () => expect(helpOf('emulator')).toContain('--webhook-url'),
};

test('Every command of the README is checked here', () => {
	expect(commandsIn(readme).sort()).toStrictEqual(Object.keys(checks).sort());
});

test.each(Object.entries(checks))('The command %s of the README works', (_, check) => check());

test('The suites that the README names exist', () => {
	const [, first, second] = /host suites `(\w+)` and `(\w+)`/.exec(readme) ?? [];
	const named = [first!, second!];
	expect(named).toStrictEqual(['editor', 'templates']);
	for (const name of named) expect(roundsOf(['--suite', name])).toHaveLength(1);
});

/** The environment variables that this project reads. */
const own = ['FAULT_SEEDS', 'SCREENSHOTS', 'CHROMIUM'];
const n8ns = [
	...['N8N_COMMUNITY_PACKAGES_ENABLED', 'N8N_UNVERIFIED_PACKAGES_ENABLED', 'N8N_WEBHOOK_URL'],
	...['WEBHOOK_URL', 'N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE'],
];

test('The environment variables that the README names are read by n8n or by this project', () => {
	const named = [
		...readme.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+|CHROMIUM|SCREENSHOTS)(?:=\w+)?`/g),
	];
	expect([...new Set(named.map(([, name]) => name))].sort()).toStrictEqual(
		[...own, ...n8ns].sort(),
	);
	const folder = join('test', 'host');
	const sources = readdirSync(join(root, folder)).filter((name) => name.endsWith('.ts'));
	const text = sources.map((name) => read(join(folder, name))).join('\n');
	for (const name of own) expect(text).toContain(`process.env.${name}`);
});
