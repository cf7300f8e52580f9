import { parseArgs } from 'node:util';
import { hosts, type HostName } from '../n8n/hosts';
import { suites, suitesOn } from './suites';

/** What `npm run test:host -- …` is asked to play. */

export interface Round {
	host: HostName;
	suites: string[];
}

const hostNames = Object.keys(hosts) as HostName[];

/** What is asked for cannot be done; the message says what can. */
export class NotUnderstood extends Error {}

export const help = (): string =>
	[
		'Usage: npm run test:host [-- [--suite NAME]… [--n8n HOST]…]',
		'',
		`  --suite  One of: ${Object.keys(suites).join(', ')};`,
		'           or floor, which is all that can be played on the oldest n8n.',
		`  --n8n    One of: ${hostNames.map((name) => `${name} (${hosts[name].version})`).join(', ')}.`,
		'',
		'Without options all suites are played on both. A suite alone is played on the newest.',
		'Once every suite was played with the package as it is, docs/compatibility.md is written.',
		`FAULT_SEEDS=20 in the environment has the suite faults play 20 seeds instead of ${hosts.newest.faultSeeds},`,
		'LOAD_DELIVERIES=20000 the suite load send as many.',
	].join('\n');

const known = <T extends string>(what: string, wanted: string[], all: T[]): T[] => {
	const unheardOf = wanted.filter((name) => !all.includes(name as T));
	if (unheardOf.length === 0) return wanted as T[];
	throw new NotUnderstood(`There is no ${what} '${unheardOf[0]}'.`);
};

/** @returns undefined when help is asked for; else what is played on which n8n, in that order */
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
	return Object.entries(on.length > 0 ? among(on, wanted) : wherever(wanted))
		.filter(([, own]) => own.length > 0)
		.map(([host, own]) => ({ host: host as HostName, suites: own }));
}

function among(on: HostName[], wanted: string[]): Record<string, string[]> {
	for (const host of on) {
		for (const name of wanted) {
			const why = suites[name]?.notOn?.[host];
			if (why) throw new NotUnderstood(`${name} is not for n8n ${hosts[host].version}: ${why}.`);
		}
	}
	return Object.fromEntries(on.map((host) => [host, wanted]));
}

/** On the newest, or where else it can be played. */
function wherever(wanted: string[]): Record<string, string[]> {
	const isOnNewest = (name: string) => suites[name]?.notOn?.newest === undefined;
	return {
		newest: wanted.filter(isOnNewest),
		floor: wanted.filter((name) => !isOnNewest(name)),
	};
}
