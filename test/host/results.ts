import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from '../n8n/pack';
import type { Job } from './options';

export const SUFFIX = '.host.test.ts';

export interface Result {
	passed: number;
	failed: number;
	/** The names of the failed tests, and the first of their errors. */
	failure?: string;
}

/** Jest's report with --json. */
interface Report {
	testResults: Array<{
		status: string;
		/** The errors of all failed tests, or why the file cannot be loaded. */
		message: string;
		assertionResults: Array<{ status: string; fullName: string }>;
	}>;
}

/** Returns the path for Jest's report, and deletes an old report. */
export function reportPath({ host, suite }: Job): string {
	const path = join(root, '.host', 'results', `${host}-${suite}.json`);
	mkdirSync(dirname(path), { recursive: true });
	rmSync(path, { force: true });
	return path;
}

/** Reads Jest's report about one file. */
export function readReport(path: string): Result {
	const [found] = (JSON.parse(readFileSync(path, 'utf8')) as Report).testResults;
	const named = (wanted: string) =>
		found!.assertionResults.filter(({ status }) => status === wanted);
	const [passed, failed] = [named('passed'), named('failed')];
	if (found!.status !== 'failed') return { passed: passed.length, failed: 0 };
	const errors = stripVTControlCharacters(found!.message).split('\n').slice(0, 40);
	const failure = [...failed.map(({ fullName }) => `✕ ${fullName}`), ...errors].join('\n');
	// A file that cannot be loaded fails without any failed tests.
	return { passed: passed.length, failed: failed.length || 1, failure };
}
