import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { install } from '../n8n/install';
import { pack, root } from '../n8n/pack';
import { say, seconds, step } from '../n8n/progress';
import { digestLine } from '../release/benchmarkFaults';
import { digestOfTarball } from '../release/digest';
import { machine } from './machine';

const file = join(root, 'docs', 'development', 'benchmarks.md');

/** Whether the environment variable BENCH_TRIAL is set. A trial is short, and its results are not written. */
export const isTrial = Boolean(process.env.BENCH_TRIAL);

/** The results of a benchmark as Markdown, and everything that was wrong with them. */
export interface Report {
	tables: string[];
	wrong: string[];
}

/**
 * Packs the package, measures it, prints the report, and replaces the section of the benchmark in
 * docs/development/benchmarks.md.
 *
 * @returns whether all results were correct, regardless of the speed
 */
export async function report(
	benchmark: string,
	measure: (tarball: string) => Promise<Report>,
): Promise<boolean> {
	const started = Date.now();
	await install();
	const packed = async () => await step('Building and packing the package', pack);
	const tarball = (process.env.HOST_TARBALL ??= await packed());
	const { tables, wrong } = await measure(tarball);
	const build = digestLine(digestOfTarball(tarball));
	const block = [`Measured on ${machine()}.`, ...tables, build].join('\n\n');
	const [start, end] = [`<!-- bench:${benchmark} -->`, `<!-- /bench:${benchmark} -->`];
	const [before = '', rest] = readFileSync(file, 'utf8').split(start);
	const [, after] = rest?.split(end) ?? [];
	if (after === undefined)
		throw new Error(`docs/development/benchmarks.md has no section ${start}`);
	const options = { ...(await resolveConfig(file)), parser: 'markdown' };
	say(`\n${await format(block, options)}`);
	for (const line of wrong) say(`WRONG: ${line}`);
	say(`Duration: ${seconds(started)}.`);
	if (isTrial) say('This was a trial. docs/development/benchmarks.md is not changed.');
	else {
		const page = `${before}${start}\n\n${block}\n\n${end}${after}`;
		writeFileSync(file, await format(page, options));
	}
	return wrong.length === 0;
}
