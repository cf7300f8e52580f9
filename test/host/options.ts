import { parseArgs } from 'node:util';
import { hosts, type HostName } from '../n8n/hosts';
import { suites, suitesOn } from './suites';

/** The suites to run with a version of n8n. */
export interface Round {
	host: HostName;
	suites: string[];
}

const hostNames = Object.keys(hosts) as HostName[];

/** The command line is invalid. */
export class UsageError extends Error {}

export const help = (): string =>
	[
		'Usage: npm run test:host [-- [--suite NAME]… [--n8n HOST]…]',
		'',
		`  --suite  One of: ${Object.keys(suites).join(', ')};`,
		'           or floor for all suites with the oldest n8n.',
		`  --n8n    One of: ${hostNames.map((name) => `${name} (${hosts[name].version})`).join(', ')}.`,
		'',
		'Without options, all suites run with both versions. A suite without --n8n runs with the newest.',
		'After all suites have run with the present package, docs/compatibility.md is written.',
		`Environment variables: FAULT_SEEDS sets the number of seeds of the suite faults (default ${hosts.newest.faultSeeds}),`,
		'LOAD_DELIVERIES the number of deliveries of the suite load (default 4000).',
	].join('\n');

const known = <T extends string>(what: string, wanted: string[], all: T[]): T[] => {
	const unknown = wanted.filter((name) => !all.includes(name as T));
	if (unknown.length === 0) return wanted as T[];
	throw new UsageError(`There is no ${what} '${unknown[0]}'.`);
};

/** @returns the suites to run, or undefined for --help */
export function roundsOf(args: string[]): Round[] | undefined {
	const { values } = parseArgs({
		args,
		options: {
			suite: { type: 'string', multiple: true, default: [] },
			n8n: { type: 'string', multiple: true, default: [] },
			help: { type: 'boolean' },
		},
	});
	if (values.help) return undefined;
	const names = values.suite.filter((name) => name !== 'floor');
	const wanted = known('suite', names, Object.keys(suites));
	const on = known('n8n', values.n8n, hostNames);
	if (values.suite.includes('floor')) on.push('floor');
	if (wanted.length === 0) {
		return (on.length > 0 ? on : hostNames).map((host) => ({ host, suites: suitesOn(host) }));
	}
	return Object.entries(on.length > 0 ? onEach(on, wanted) : onDefault(wanted))
		.filter(([, own]) => own.length > 0)
		.map(([host, own]) => ({ host: host as HostName, suites: own }));
}

function onEach(on: HostName[], wanted: string[]): Record<string, string[]> {
	for (const host of on) {
		for (const name of wanted) {
			const why = suites[name]?.notOn?.[host];
			if (why) throw new UsageError(`${name} is not run with n8n ${hosts[host].version}: ${why}.`);
		}
	}
	return Object.fromEntries(on.map((host) => [host, wanted]));
}

/** Runs each suite with the newest n8n if possible. */
function onDefault(wanted: string[]): Record<string, string[]> {
	const isOnNewest = (name: string) => suites[name]?.notOn?.newest === undefined;
	return {
		newest: wanted.filter(isOnNewest),
		floor: wanted.filter((name) => !isOnNewest(name)),
	};
}
