import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { Child, stopChildren } from '../n8n/child';
import { writeCompatibility } from './compatibility';
import { hosts } from '../n8n/hosts';
import { install, installBoth } from '../n8n/install';
import { help, jobsOf, UsageError, type Job } from './options';
import { pack, root } from '../n8n/pack';
import { say, seconds, step } from '../n8n/progress';
import { completeResults, reportPath, saveResult, SUFFIX } from './results';
import { suites } from './suites';

/** n8n waits most of the time, so two suites can run at the same time. */
const MAX_SUITES = Math.min(2, availableParallelism());

const nameOf = ({ host, suite }: Job) => `${suite} (n8n ${hosts[host].version})`;

/** Runs a suite, and prints its output when it has ended. @returns why it failed */
async function run(job: Job, tarball: string): Promise<string | undefined> {
	const started = Date.now();
	const report = reportPath(job);
	const args = [
		join(root, 'node_modules', 'jest', 'bin', 'jest.js'),
		...['--config', join(__dirname, 'jest.config.js'), '--colors', '--verbose'],
		// After a failure, an n8n that nothing stops would keep Jest running. It ends with Jest.
		'--forceExit',
		...['--json', '--outputFile', report, '--runTestsByPath'],
		join(__dirname, `${job.suite}${SUFFIX}`),
	];
	const env = { ...process.env, HOST_N8N: job.host, HOST_TARBALL: tarball };
	say(`• ${nameOf(job)} …`);
	const child = new Child({ program: process.execPath, args, cwd: root, env });
	const code = await child.ended;
	say(`\n${child.log()}• ${nameOf(job)} ended after ${seconds(started)}`);
	const failure = saveResult(job, report);
	return failure ?? (code === 0 ? undefined : `${job.suite}: Jest ended with ${code}`);
}

/** Runs the suites, several at the same time. @returns what failed */
async function runAll(jobs: Job[], atOnce: number, tarball: string): Promise<string[]> {
	const failures: string[] = [];
	const worker = async () => {
		for (let job = jobs.shift(); job; job = jobs.shift()) {
			const failure = await run(job, tarball);
			if (failure) failures.push(`n8n ${hosts[job.host].version} ${failure}`);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, worker));
	return failures;
}

async function main(): Promise<number> {
	const jobs = jobsOf(process.argv.slice(2));
	if (jobs === undefined) {
		say(help());
		return 0;
	}
	await (jobs.some(({ host }) => host === 'floor') ? installBoth() : install());
	const tarball = await step('Building and packing the package', pack);
	const measuring = jobs.filter(({ suite }) => suites[suite]!.measures);
	const others = jobs.filter(({ suite }) => !suites[suite]!.measures);
	others.sort(
		(a, b) => Number(suites[b.suite]!.isLong ?? 0) - Number(suites[a.suite]!.isLong ?? 0),
	);
	const failures = [
		...(await runAll(others, MAX_SUITES, tarball)),
		...(await runAll(measuring, 1, tarball)),
	];
	const results = completeResults();
	if (results) say(`• Written: ${relative(root, await writeCompatibility(results))}`);
	for (const failure of failures) say(`\n${failure}`);
	say(failures.length === 0 ? `\nAll suites passed.` : `\n${failures.length} suites failed.`);
	return failures.length === 0 ? 0 : 1;
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
