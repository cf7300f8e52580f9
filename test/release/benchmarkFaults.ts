const SECTION = /<!-- bench:(\w+) -->([^]*?)<!-- \/bench:\1 -->/g;

const DIGEST = /^Measured build: `([0-9a-f]{64})`\.$/m;

/** The line in docs/development/benchmarks.md that identifies the measured build. */
export const digestLine = (digest: string): string => `Measured build: \`${digest}\`.`;

/**
 * Reports sections that were measured with another build.
 *
 * @param page the text of docs/development/benchmarks.md
 * @param digest the digest of the build to release
 */
export function benchmarkFaults(page: string, digest: string): string[] {
	const sections = [...page.matchAll(SECTION)];
	if (sections.length === 0) return ['docs/development/benchmarks.md contains no measurements.'];
	return sections.flatMap(([, name, text = '']) => {
		const measured = DIGEST.exec(text)?.[1];
		if (measured === digest) return [];
		const what = measured ? `build ${measured.slice(0, 12)}` : 'an unknown build';
		return `docs/development/benchmarks.md: '${name}' was measured with ${what}, but the present build is ${digest.slice(0, 12)}. Run npm run bench -- ${name}.`;
	});
}
