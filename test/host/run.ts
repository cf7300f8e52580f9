import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { stopChildren } from '../n8n/child';
import { writeCompatibility } from './compatibility';
import { hosts, type HostName } from '../n8n/hosts';
import { install } from '../n8n/install';
import { help, NotUnderstood, roundsOf, type Round } from './options';
import { pack, root } from '../n8n/pack';
import { say, step } from '../n8n/progress';
import { complete, keep, reportOf, SUFFIX } from './results';
import { type Suite, suites } from './suites';

/** `npm run test:host [-- --suite posts] [--n8n floor]`: the packed package in a real n8n. */

/** n8n waits a lot: two suites at a time keep a processor busy. */
const AT_ONCE = Math.min(2, availableParallelism());

/** @returns whether all passed */
function jest(host: HostName, names: string[], atOnce: number, tarball: string): boolean {
	if (names.length === 0) return true;
	const report = reportOf(host);
	const args = [
		...['--config', join(__dirname, 'jest.config.js'), '--verbose', '--maxWorkers', `${atOnce}`],
		...['--json', '--outputFile', report, '--runTestsByPath'],
		...names.map((name) => join(__dirname, `${name}${SUFFIX}`)),
	];
	const program = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
	const { status, signal } = spawnSync(process.execPath, [program, ...args], {
		cwd: root,
		env: { ...process.env, HOST_N8N: host, HOST_TARBALL: tarball },
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	// Whoever ends Jest, by Ctrl-C for one, means all of it.
	if (signal !== null) process.exit(130);
	keep(host, report);
	return status === 0;
}

/** @returns whether all passed */
function play({ host, suites: names }: Round, tarball: string): boolean {
	say(`• n8n ${hosts[host].version}, ${names.length} suites: ${names.join(', ')}`);
	const among = (apart?: Suite['apart']) => names.filter((name) => suites[name]?.apart === apart);
	const passed = [
		jest(host, among(), AT_ONCE, tarball),
		jest(host, among('browser'), AT_ONCE, tarball),
		jest(host, among('measures'), 1, tarball),
	];
	return passed.every(Boolean);
}

async function main(): Promise<number> {
	const rounds = roundsOf(process.argv.slice(2));
	if (rounds === undefined) {
		say(help());
		return 0;
	}
	// The Node that every n8n runs on comes with the newest.
	await install();
	if (rounds.some(({ host }) => host === 'floor')) await install(hosts.floor);
	const tarball = await step('Building and packing the package', pack);
	const failed = rounds.filter((round) => !play(round, tarball));
	const results = complete();
	if (results) say(`• Written: ${relative(root, await writeCompatibility(results))}`);
	const list = (some: Round[]) =>
		some
			.map(({ host, suites: names }) => `${names.join(', ')} (n8n ${hosts[host].version})`)
			.join('; ');
	say(failed.length === 0 ? `All passed: ${list(rounds)}` : 'Not all passed; see above.');
	return failed.length === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.once(signal, () => void stopChildren().then(() => process.exit(130)));
}
main().then(
	(code) => process.exit(code),
	(error: Error) => {
		say(`\n${error.message}`);
		if (error instanceof NotUnderstood) say(`\n${help()}`);
		process.exit(error instanceof NotUnderstood ? 2 : 1);
	},
);
