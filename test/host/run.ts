import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Child, stopChildren } from '../n8n/child';
import { type HostName, hosts } from '../n8n/hosts';
import { install, installBoth } from '../n8n/install';
import { help, jobsOf, UsageError, type Job } from './options';
import { packed, root } from '../n8n/pack';
import { say, seconds, step } from '../n8n/progress';
import { readReport, reportPath, type Result, SUFFIX } from './results';
import { type Results, writeResultsPage } from './resultsPage';
import { suites, suitesOn } from './suites';

/** Suites often wait, so one more than the processors run at the same time. */
const MAX_SUITES = availableParallelism() + 1;

const nameOf = ({ host, suite }: Job) => `${suite} (n8n ${hosts[host].version})`;

/** Runs a suite, and prints its output when it has ended. */
async function run(job: Job, tarball: string): Promise<Result> {
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
	if (existsSync(report)) return readReport(report);
	return { passed: 0, failed: 1, failure: `Jest ended with ${code}` };
}

/** Runs the suites, several at the same time. */
async function runAll(jobs: Job[], tarball: string): Promise<Results> {
	const results: Results = { newest: {}, floor: {} };
	const worker = async () => {
		for (let job = jobs.shift(); job; job = jobs.shift()) {
			results[job.host][job.suite] = await run(job, tarball);
		}
	};
	await Promise.all(Array.from({ length: MAX_SUITES }, worker));
	return results;
}

async function main(): Promise<number> {
	const jobs = jobsOf(process.argv.slice(2));
	if (jobs === undefined) {
		say(help());
		return 0;
	}
	await (jobs.some(({ host }) => host === 'floor') ? installBoth() : install());
	// Everything temporary, also of n8n itself, is in one folder, which is deleted if all suites pass.
	const temporary = mkdtempSync(join(tmpdir(), 'host-'));
	// PostgreSQL runs as another user.
	chmodSync(temporary, 0o755);
	process.env.TMPDIR = temporary;
	const tarball = await step('Building and packing the package', packed);
	jobs.sort((a, b) => Number(suites[b.suite]!.isLong ?? 0) - Number(suites[a.suite]!.isLong ?? 0));
	const results = await runAll(jobs, tarball);
	const names = Object.keys(hosts) as HostName[];
	if (names.every((host) => suitesOn(host).every((suite) => results[host][suite]))) {
		say(`• Written: ${relative(root, await writeResultsPage(results))}`);
	}
	const failures = names.flatMap((host) =>
		Object.entries(results[host]).flatMap(([suite, { failure }]) =>
			failure === undefined ? [] : `${nameOf({ host, suite })}\n${failure}`,
		),
	);
	for (const failure of failures) say(`\n${failure}`);
	if (failures.length === 0) rmSync(temporary, { recursive: true, maxRetries: 5 });
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
