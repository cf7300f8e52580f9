import { parseArgs } from 'node:util';
import { hosts, type HostName } from '../n8n/hosts';
import { suites, suitesOn, usualSuitesOn } from './suites';

/** A suite, and the version of n8n to run it with. */
export interface Job {
	host: HostName;
	suite: string;
}

const hostNames = Object.keys(hosts) as HostName[];

/** The command line is invalid. */
export class UsageError extends Error {}

export const help = (): string =>
	[
		'Usage: npm run test:host [-- [--suite NAME]… [--n8n HOST]… [--all]]',
		'',
		`  --suite  One of: ${Object.keys(suites).join(', ')}.`,
		`  --n8n    One of: ${hostNames.map((name) => `${name} (${hosts[name].version})`).join(', ')}.`,
		'  --all    Runs all suites with both versions, as before a release.',
		'',
		`Without options, all suites run with the newest n8n, and these with the oldest: ${usualSuitesOn('floor').join(', ')}.`,
		'A suite without --n8n runs with the newest. A run with --all writes docs/development/test-results.md.',
		'The environment variable FAULT_SEEDS sets the number of seeds for random faults in the suite posts (default 1).',
	].join('\n');

const known = <T extends string>(what: string, wanted: string[], all: T[]): T[] => {
	const unknown = wanted.filter((name) => !all.includes(name as T));
	if (unknown.length === 0) return wanted as T[];
	throw new UsageError(`There is no ${what} '${unknown[0]}'.`);
};

/** @returns the suites to run, or undefined for --help */
export function jobsOf(args: string[]): Job[] | undefined {
	const list = { type: 'string', multiple: true, default: [] as string[] } as const;
	const flag = { type: 'boolean' } as const;
	const options = { suite: list, n8n: list, all: flag, help: flag } as const;
	const { values } = parseArgs({ args, options });
	if (values.help) return undefined;
	const wanted = known('suite', values.suite, Object.keys(suites));
	const on = known('n8n', values.n8n, hostNames);
	if (wanted.length > 0) {
		return wanted.flatMap((suite) => hostsOf(suite, on).map((host) => ({ host, suite })));
	}
	return (on.length > 0 ? on : hostNames).flatMap((host) =>
		(values.all ? suitesOn(host) : usualSuitesOn(host)).map((suite) => ({ host, suite })),
	);
}

/** The versions of n8n to run a suite with: those that are named, or the newest that can run it. */
function hostsOf(suite: string, on: HostName[]): HostName[] {
	const reasonNotToRun = (host: HostName) => suites[suite]!.notOn?.[host];
	if (on.length === 0) return hostNames.filter((host) => !reasonNotToRun(host)).slice(0, 1);
	for (const host of on) {
		const why = reasonNotToRun(host);
		if (why) throw new UsageError(`${suite} is not run with n8n ${hosts[host].version}: ${why}.`);
	}
	return on;
}
