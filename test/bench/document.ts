import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { root } from '../n8n/pack';
import { digestLine } from '../release/benchmarkFaults';
import { digestOfTarball } from '../release/digest';

const file = join(root, 'docs', 'benchmarks.md');

const INTRODUCTION = `# Benchmarks

To post many items, pass them all to one node, and choose **Max Concurrent Requests** by the distance of the platform:
[the rule](operations.md#many-posts) and [the measurements](#over-tls-at-a-distance). To receive many webhooks, set
\`N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true\`: [Busy servers](queue-mode.md#busy-servers).

Each benchmark compares several ways to do this in one run, in a real n8n with the packed package. The programs in \`test/bench\` write
the sections below. Compare only ratios within a run, not numbers from different machines. _Contenders_ are the ways that are
compared. Under _Goals_, PASS means that this build reaches the goal of its developers, and MISS that it does not. The last value in
the parentheses shows what is possible at best: the result of a node that does nothing, or of a sender without n8n.

Each section contains the SHA-256 of the measured build (\`test/release/digest.ts\`). A version cannot be
released until all sections were measured with its build.
`;

/** Formats Markdown as the repository does. */
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
	const exists = from >= 0 && to > from;
	const whole = exists
		? text.slice(0, from) + block + text.slice(to + end.length)
		: `${text.trimEnd()}\n\n${block}\n`;
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, await formatted(whole));
}
