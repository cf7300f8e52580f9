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

interface Ended {
	passed: boolean;
	/** The names of the suites that failed. */
	failed: string[];
}

function jest(host: HostName, names: string[], workers: number, tarball: string): Ended {
	if (names.length === 0) return { passed: true, failed: [] };
	const report = reportPath(host);
	const args = [
		...['--config', join(__dirname, 'jest.config.js'), '--maxWorkers', `${workers}`],
		// After a failure, an n8n that nothing stops would keep Jest running. It ends with Jest.
		'--forceExit',
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
	const failed = saveResults(host, report);
	failures.push(...failed.map(({ text }) => `n8n ${hosts[host].version} ${text}`));
	return { passed: status === 0, failed: failed.map(({ suite }) => suite) };
}

/**
 * A suite that fails beside another one runs again, alone: the machine may have been too busy.
 *
 * @returns whether all tests passed, perhaps the second time
 */
function runRound({ host, suites: wanted }: Round, tarball: string): boolean {
	say(`• n8n ${hosts[host].version}, ${wanted.length} suites: ${wanted.join(', ')}`);
	const alone = wanted.filter((name) => suites[name]!.measures);
	const together = wanted.filter((name) => !alone.includes(name));
	together.sort((a, b) => Number(suites[b]!.isLong ?? 0) - Number(suites[a]!.isLong ?? 0));
	const first = jest(host, together, MAX_WORKERS, tarball);
	const measured = jest(host, alone, 1, tarball);
	if (first.passed || together.length === 1 || first.failed.length === 0) {
		return first.passed && measured.passed;
	}
	const names = first.failed.join(', ');
	say(`• Run again, alone: ${names}`);
	const again = jest(host, first.failed, 1, tarball);
	const version = `n8n ${hosts[host].version}`;
	if (again.passed) failures.push(`${version} passed when run again, alone: ${names}`);
	return again.passed && measured.passed;
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
	for (const failure of failures) say(`\n${failure}`);
	say(failed.length === 0 ? `\nAll passed: ${list(rounds)}` : `\nFailed: ${list(failed)}`);
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
