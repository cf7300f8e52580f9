import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { stopChildren } from '../n8n/child';
import { writeCompatibility } from './compatibility';
import { hosts, type HostName } from '../n8n/hosts';
import { install, installBoth } from '../n8n/install';
import { help, UsageError, roundsOf, type Round } from './options';
import { pack, root } from '../n8n/pack';
import { say, step } from '../n8n/progress';
import { completeResults, reportPath, saveResults, SUFFIX } from './results';
import { suites } from './suites';

/** n8n waits most of the time, so two suites can run at the same time. */
const MAX_WORKERS = Math.min(2, availableParallelism());

/** What failed, to be shown at the end, where it is easily found. */
const failures: string[] = [];

/** @returns whether all tests passed */
function jest(host: HostName, names: string[], workers: number, tarball: string): boolean {
	if (names.length === 0) return true;
	const report = reportPath(host);
	const args = [
		...['--config', join(__dirname, 'jest.config.js'), '--verbose', '--maxWorkers', `${workers}`],
		...['--json', '--outputFile', report, '--runTestsByPath'],
		...names.map((name) => join(__dirname, `${name}${SUFFIX}`)),
	];
	const program = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
	const { status, signal } = spawnSync(process.execPath, [program, ...args], {
		cwd: root,
		env: { ...process.env, HOST_N8N: host, HOST_TARBALL: tarball },
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	// A signal to Jest, for example by Ctrl-C, ends the whole run.
	if (signal !== null) process.exit(130);
	failures.push(...saveResults(host, report).map((one) => `n8n ${hosts[host].version} ${one}`));
	return status === 0;
}

/** @returns whether all tests passed */
function runRound({ host, suites: names }: Round, tarball: string): boolean {
	say(`• n8n ${hosts[host].version}, ${names.length} suites: ${names.join(', ')}`);
	const alone = names.filter((name) => suites[name]!.measures);
	const together = names.filter((name) => !alone.includes(name));
	together.sort((a, b) => Number(suites[b]!.isLong ?? 0) - Number(suites[a]!.isLong ?? 0));
	const passed = [jest(host, together, MAX_WORKERS, tarball), jest(host, alone, 1, tarball)];
	return passed.every(Boolean);
}

async function main(): Promise<number> {
	const rounds = roundsOf(process.argv.slice(2));
	if (rounds === undefined) {
		say(help());
		return 0;
	}
	await (rounds.some(({ host }) => host === 'floor') ? installBoth() : install());
	const tarball = await step('Building and packing the package', pack);
	const failed = rounds.filter((round) => !runRound(round, tarball));
	const results = completeResults();
	if (results) say(`• Written: ${relative(root, await writeCompatibility(results))}`);
	const list = (some: Round[]) =>
		some
			.map(({ host, suites: names }) => `${names.join(', ')} (n8n ${hosts[host].version})`)
			.join('; ');
	say(failed.length === 0 ? `All passed: ${list(rounds)}` : 'Some tests failed:');
	for (const failure of failures) say(`\n${failure}`);
	return failed.length === 0 ? 0 : 1;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.once(signal, () => void stopChildren().then(() => process.exit(130)));
}
main().then(
	(code) => process.exit(code),
	(error: Error) => {
		say(`\n${error.message}`);
		if (error instanceof UsageError) say(`\n${help()}`);
		process.exit(error instanceof UsageError ? 2 : 1);
	},
);
