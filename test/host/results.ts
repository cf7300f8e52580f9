import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { hosts, type HostName } from '../n8n/hosts';
import { root } from '../n8n/pack';
import { suites, suitesOn } from './suites';

/** What came of the suites, kept from run to run as long as the package is the same. */

export const SUFFIX = '.host.test.ts';

const folder = join(root, '.host', 'results');

export interface Result {
	passed: number;
	failed: number;
	seconds: number;
	/** Of the built package that it was played with. */
	digest: string;
	/** The day, in UTC. */
	date: string;
}

export type Results = Record<HostName, Record<string, Result>>;

/** What jest writes with --json, as far as it is read here. */
interface Report {
	testResults: Array<{
		name: string;
		status: string;
		startTime: number;
		endTime: number;
		assertionResults: Array<{ status: string }>;
	}>;
}

/** Changes with what n8n loads, and with nothing else that is packed. */
function digestOfBuild(): string {
	const dist = join(root, 'dist');
	const files = readdirSync(dist, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.sort();
	const hash = createHash('sha256');
	for (const path of files) hash.update(relative(dist, path)).update(readFileSync(path));
	return hash.digest('hex');
}

const readJson = <T>(path: string, otherwise: T): T => {
	try {
		return JSON.parse(readFileSync(path, 'utf8')) as T;
	} catch {
		return otherwise;
	}
};

const fileOf = (name: string): string => join(folder, `${name}.json`);

/** Where jest is to write its report about a host; there is none yet. */
export function reportOf(host: HostName): string {
	const path = fileOf(`jest-${host}`);
	mkdirSync(folder, { recursive: true });
	rmSync(path, { force: true });
	return path;
}

/** Adds what jest has reported about a host, in a file of its own, to the results. */
export function keep(host: HostName, report: string): void {
	const kept = readJson<Record<string, Result>>(fileOf(`on-${host}`), {});
	const { testResults } = readJson<Report>(report, { testResults: [] });
	const digest = digestOfBuild();
	for (const { name, status, startTime, endTime, assertionResults } of testResults) {
		const count = (wanted: string) =>
			assertionResults.filter((one) => one.status === wanted).length;
		const failed = count('failed');
		kept[basename(name, SUFFIX)] = {
			passed: count('passed'),
			// A file that cannot be loaded has no tests that could have failed.
			failed: failed === 0 && status === 'failed' ? 1 : failed,
			seconds: Math.round((endTime - startTime) / 1000),
			digest,
			date: new Date(startTime).toISOString().slice(0, 10),
		};
	}
	writeFileSync(fileOf(`on-${host}`), `${JSON.stringify(kept, null, '\t')}\n`);
}

/** The results of all suites on all hosts, once each was played with this package. */
export function complete(): Results | undefined {
	const digest = digestOfBuild();
	const entries = Object.keys(hosts).map((name) => {
		const host = name as HostName;
		const kept = readJson<Record<string, Result>>(fileOf(`on-${host}`), {});
		return [host, suitesOn(host).map((suite) => [suite, kept[suite]] as const)] as const;
	});
	const isWhole = entries.every(([, own]) => own.every(([, one]) => one?.digest === digest));
	if (!isWhole) return undefined;
	return Object.fromEntries(
		entries.map(([host, own]) => [host, Object.fromEntries(own)]),
	) as unknown as Results;
}

/** Keeps what a suite has measured, in place of what it measured before. */
export function keepNumbers(suite: string, found: unknown): void {
	mkdirSync(folder, { recursive: true });
	writeFileSync(fileOf(suite), `${JSON.stringify(found, null, '\t')}\n`);
}

/** Lines about what a suite has measured; none where it measures nothing. */
export function numbersOf(suite: string): string[] {
	const found = readJson<unknown>(fileOf(suite), undefined);
	return found === undefined ? [] : (suites[suite]?.numbers?.(found) ?? []);
}
