import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { jobsOf } from '../host/options';
import { read } from './documents';
import { repositoryFiles, root } from './repositoryFiles';

/** Checks that the commands in the documents work. */

const documents = repositoryFiles()
	.filter((path) => /^(docs\/)?[^/]+\.md$/.test(path) && path !== 'CHANGELOG.md')
	.map(read);

/** Returns the code in backticks and the lines of shell blocks, divided at `&&` and `|`. */
function shellCodeIn(text: string): string[] {
	const found = [...text.matchAll(/`([^`\n]+)`|```sh\n(.*?)\n *```/gs)];
	return found
		.flatMap(([, code, block]) => (code ?? block)!.split('\n'))
		.flatMap((line) => line.trim().split(/ && | \| /));
}

/** Returns the npm commands with their arguments. A separate `-- …` belongs to the command before it. */
function commandsIn(text: string): string[] {
	let script = '';
	return shellCodeIn(text).flatMap((code) => {
		if (code.startsWith('-- ')) return [`${script} ${code}`];
		if (!/^npm /.test(code)) return [];
		script = code.split(' -- ')[0]!;
		return [code];
	});
}

const ci = read('.ci/run');
const inCi = (command: string) => () => expect(ci).toContain(`run '${command}' ${command}\n`);
const togetherInCi = (command: string) => () =>
	expect(/ together \\\n(.*)/.exec(ci)?.[1]).toContain(`'${command}'`);
const rounds = (args: string) => () => expect(jobsOf(args.split(' '))).not.toStrictEqual([]);
const exists = (path: string) => () => expect(existsSync(join(root, path))).toBe(true);
const isOfNpm = () => undefined;

const checks: Record<string, () => void> = {
	'npm ci': inCi('npm ci'),
	'npm run demo': inCi('npm run demo -- --once'),
	'npm run demo -- --once': inCi('npm run demo -- --once'),
	'npm test': inCi('npm test'),
	'npm run lint': togetherInCi('npm run lint'),
	'npm run scan': togetherInCi('npm run scan'),
	'npm run test:host': inCi('npm run test:host'),
	// The build ends before anything is packed.
	'npm run build': () => {
		expect(read('test/scan/run.ts')).toContain("npm(['run', '--silent', 'build'])");
	},
	'npm pack': () => {
		expect(read('test/n8n/pack.ts')).toContain("npm('pack',");
	},
	'npm run test:host -- --suite posts': rounds('--suite posts'),
	'npm run test:host -- --suite posts --n8n floor': rounds('--suite posts --n8n floor'),
	'npm run test:host -- --all': rounds('--all'),
	'npm run test:host -- --help': () => expect(jobsOf(['--help'])).toBeUndefined(),
	'npm run bench': exists('test/bench/run.ts'),
	'npm run bench -- trigger': exists('test/bench/trigger'),
	'npm run bench -- posts': exists('test/bench/posts'),
	// test/emulator/cli.test.ts starts the emulator.
	'npm run emulator': exists('test/emulator/cli.ts'),
	'npm run emulator -- --help': exists('test/emulator/cli-options.ts'),
	'npm trust github --file publish.yml --repo OWNER/NAME --env npm --allow-publish': exists(
		'.github/workflows/publish.yml',
	),
	'npm version --no-git-tag-version 0.2.0': isOfNpm,
	'npm audit signatures': isOfNpm,
	'npm login': isOfNpm,
	[`npm view ${packageJson.name} dist.attestations`]: isOfNpm,
	[`npm deprecate ${packageJson.name}@0.2.0 'Use 0.2.1: …'`]: isOfNpm,
};

test('Every npm command of the documents is checked here', () => {
	const commands = [...new Set(documents.flatMap(commandsIn))];
	expect(commands.sort()).toStrictEqual(Object.keys(checks).sort());
});

test.each(Object.entries(checks))('The command %s of the documents works', (_, check) => check());

test('The npx commands of the documents name files that exist', () => {
	const files = repositoryFiles();
	const paths = documents
		.flatMap(shellCodeIn)
		.filter((code) => code.startsWith('npx '))
		.flatMap((code) => code.split(' ').filter((word) => word.startsWith('test/')));
	expect(paths).not.toEqual([]);
	// Jest also accepts the beginning of a path.
	expect(paths.filter((path) => !files.some((file) => file.startsWith(path)))).toEqual([]);
});

/** The environment variables that this project reads. */
const own = ['FAULT_SEEDS', 'SCREENSHOTS', 'CHROMIUM'];

/** Variables that n8n's package `n8n` reads. The tests of the repository install only n8n-core. */
const n8ns = [
	...['N8N_COMMUNITY_PACKAGES_ENABLED', 'N8N_UNVERIFIED_PACKAGES_ENABLED', 'WEBHOOK_URL'],
	'OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS',
];

/** Returns the text of all files below a folder whose names have this ending. */
const textIn = (folder: string, ending: string) =>
	readdirSync(join(root, folder), { encoding: 'utf8', recursive: true })
		.filter((path) => path.endsWith(ending))
		.map((path) => read(join(folder, path)))
		.join('\n');

test('The environment variables that the documents name are read by n8n or by this project', () => {
	const named = documents.flatMap((text) => [
		...text.matchAll(/`([A-Z][A-Z0-9]*_[A-Z0-9_]+|CHROMIUM|SCREENSHOTS)(?:=[^`]*)?`/g),
	]);
	const names = new Set(named.map(([, name]) => name!));
	expect([...names]).toEqual(expect.arrayContaining([...own, ...n8ns]));
	const suites = textIn('test/host', '.ts');
	for (const name of own) expect(suites).toContain(`process.env.${name}`);
	const sources = [
		textIn('node_modules/@n8n/config/dist', '.js'),
		textIn('node_modules/n8n-core/dist/binary-data', '.js'),
		read('.github/workflows/publish.yml'),
	].join('\n');
	const known = [...own, ...n8ns];
	const unknown = [...names].filter(
		(name) => !known.includes(name) && !new RegExp(`\\b${name}\\b`).test(sources),
	);
	expect(unknown).toEqual([]);
});
