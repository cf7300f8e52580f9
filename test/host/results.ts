import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { hosts, type HostName } from '../n8n/hosts';
import { root } from '../n8n/pack';
import type { Job } from './options';
import { suites, suitesOn } from './suites';

export const SUFFIX = '.host.test.ts';

const folder = join(root, '.host', 'results');

/** The result of a suite. It is kept until the package changes. */
export interface Result {
	passed: number;
	failed: number;
	seconds: number;
	/** The digest of the tested package. */
	digest: string;
	/** The date in UTC. */
	date: string;
}

export type Results = Record<HostName, Record<string, Result>>;

/** Jest's report with --json. */
interface Report {
	testResults: Array<{
		status: string;
		startTime: number;
		endTime: number;
		/** The errors of all failed tests, or why the file cannot be loaded. */
		message: string;
		assertionResults: Array<{ status: string; fullName: string }>;
	}>;
}

/** A digest of all files that n8n loads. */
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

/** Returns the path for Jest's report, and deletes an old report. */
export function reportPath({ host, suite }: Job): string {
	const path = fileOf(`jest-${host}-${suite}`);
	mkdirSync(folder, { recursive: true });
	rmSync(path, { force: true });
	return path;
}

/** The names of a suite's failed tests, and the first of their errors. */
function failureOf(
	suite: string,
	{ message, assertionResults }: Report['testResults'][number],
): string {
	const names = assertionResults
		.filter(({ status }) => status === 'failed')
		.map(({ fullName }) => `✕ ${fullName}`);
	const errors = stripVTControlCharacters(message).split('\n').slice(0, 40);
	return [suite, ...names, ...errors].join('\n');
}

/**
 * Adds Jest's report about a suite to the saved results.
 *
 * @returns the failed tests and their errors
 */
export function saveResult({ host, suite }: Job, report: string): string | undefined {
	const saved = readJson<Record<string, Result>>(fileOf(`on-${host}`), {});
	const [found] = readJson<Report>(report, { testResults: [] }).testResults;
	if (!found) return undefined;
	const count = (wanted: string) =>
		found.assertionResults.filter(({ status }) => status === wanted).length;
	const hasFailed = found.status === 'failed';
	saved[suite] = {
		passed: count('passed'),
		// A file that cannot be loaded fails without any failed tests.
		failed: count('failed') || Number(hasFailed),
		seconds: Math.round((found.endTime - found.startTime) / 1000),
		digest: digestOfBuild(),
		date: new Date(found.startTime).toISOString().slice(0, 10),
	};
	writeFileSync(fileOf(`on-${host}`), `${JSON.stringify(saved, null, '\t')}\n`);
	return hasFailed ? failureOf(suite, found) : undefined;
}

/** The results of all suites, or undefined if some have not run with this package yet. */
export function completeResults(): Results | undefined {
	const digest = digestOfBuild();
	const entries = Object.keys(hosts).map((name) => {
		const host = name as HostName;
		const saved = readJson<Record<string, Result>>(fileOf(`on-${host}`), {});
		return [host, suitesOn(host).map((suite) => [suite, saved[suite]] as const)] as const;
	});
	const isComplete = entries.every(([, own]) => own.every(([, one]) => one?.digest === digest));
	if (!isComplete) return undefined;
	return Object.fromEntries(
		entries.map(([host, own]) => [host, Object.fromEntries(own)]),
	) as unknown as Results;
}

/** Saves the measurements of a suite, and replaces earlier ones. */
export function saveNumbers(suite: string, found: unknown): void {
	mkdirSync(folder, { recursive: true });
	writeFileSync(fileOf(suite), `${JSON.stringify(found, null, '\t')}\n`);
}

/** The lines about the measurements of a suite, if there are any. */
export function numbersOf(suite: string): string[] {
	const found = readJson<unknown>(fileOf(suite), undefined);
	return found === undefined ? [] : (suites[suite]?.numbers?.(found) ?? []);
}
