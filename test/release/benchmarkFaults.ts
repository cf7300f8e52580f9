/** docs/benchmarks.md, as far as it says which build its numbers belong to. */

const SECTION = /<!-- bench:(\w+) -->([^]*?)<!-- \/bench:\1 -->/g;

const DIGEST = /^Measured build: `([0-9a-f]{64})`\.$/m;

/** The line by which a benchmark says what it has measured. */
export const digestLine = (digest: string): string => `Measured build: \`${digest}\`.`;

/**
 * What is out of date, one sentence for each section.
 *
 * @param page the text of docs/benchmarks.md
 * @param digest of the build that is to be released
 */
export function benchmarkFaults(page: string, digest: string): string[] {
	const sections = [...page.matchAll(SECTION)];
	if (sections.length === 0) return ['docs/benchmarks.md holds no measurement.'];
	return sections.flatMap(([, name, text = '']) => {
		const measured = DIGEST.exec(text)?.[1];
		if (measured === digest) return [];
		const what = measured ? `the build ${measured.slice(0, 12)}` : 'a build it does not name';
		return `docs/benchmarks.md: '${name}' measured ${what}, this is ${digest.slice(0, 12)}: npm run bench -- ${name}.`;
	});
}
