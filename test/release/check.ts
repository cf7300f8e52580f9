/**
 * Checks whether a tag can be published: `npx tsx test/release/check.ts v1.2.3`. Prints the changelog of the
 * version, or the problems, and then exits with 1. Benchmarks of another build are only a warning.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { benchmarkFaults } from './benchmarkFaults';
import { sectionsOf } from './changelog';
import { digestOfSources } from './digest';
import { releaseFaults } from './releaseFaults';

const read = (name: string) => readFileSync(join(__dirname, '../..', name), 'utf8');
const versionIn = (name: string) => (JSON.parse(read(name)) as { version: string }).version;

const [tag = ''] = process.argv.slice(2);
const version = versionIn('package.json');
const changelog = read('CHANGELOG.md');
const faults = releaseFaults({
	...{ tag, version, changelog },
	lockedVersion: versionIn('package-lock.json'),
});
for (const fault of benchmarkFaults(read('docs/development/benchmarks.md'), digestOfSources())) {
	console.error(`Warning: ${fault}`);
}

if (faults.length > 0) {
	for (const fault of faults) console.error(fault);
	process.exitCode = 1;
} else {
	console.log(sectionsOf(changelog).find(({ name }) => name === version)!.text);
}
