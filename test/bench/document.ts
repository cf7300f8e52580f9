import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../n8n/pack';
import { digestLine } from '../release/benchmarkFaults';
import { digestOfTarball } from '../release/digest';

const file = join(root, 'docs', 'benchmarks.md');

const INTRODUCTION = `# Benchmarks

Everything here is measured side by side in one run, in a real n8n with the packed package, by the
programs in \`test/bench\`. They write their own sections below and leave the rest alone. Numbers of
different machines do not compare; the ratios within one run do.

Each section names the build it has measured: a SHA-256 over the compiled JavaScript of the package
(\`test/release/digest.ts\`). A release is refused while a section names another build than the one to
be released.
`;

/** Markdown as the repository's formatter has it, tables with straight columns included. */
export const formatted = async (markdown: string): Promise<string> =>
	await format(markdown, { ...(await resolveConfig(file)), parser: 'markdown' });

/**
 * Replaces the section of a benchmark in docs/benchmarks.md, or adds it at the end.
 *
 * @param tarball the packed package that was measured
 */
export async function document(benchmark: string, section: string, tarball: string): Promise<void> {
	const [start, end] = [`<!-- bench:${benchmark} -->`, `<!-- /bench:${benchmark} -->`];
	const text = existsSync(file) ? readFileSync(file, 'utf8') : INTRODUCTION;
	const build = digestLine(digestOfTarball(tarball));
	const block = `${start}\n\n${section}\n\n${build}\n\n${end}`;
	const [from, to] = [text.indexOf(start), text.indexOf(end)];
	const isThere = from >= 0 && to > from;
	const whole = isThere
		? text.slice(0, from) + block + text.slice(to + end.length)
		: `${text.trimEnd()}\n\n${block}\n`;
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, await formatted(whole));
}
