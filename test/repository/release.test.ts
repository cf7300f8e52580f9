import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { benchmarkFaults, digestLine } from '../release/benchmarkFaults';
import { formFaults, sectionsOf } from '../release/changelog';
import { digestOf } from '../release/digest';
import { releaseFaults } from '../release/releaseFaults';
import { read } from './documents';

const page = 'https://github.com/someone/something';
const validChangelog = `# Changelog

All notable changes, newest first.

## Unreleased

## [0.2.0] - 2026-12-31

### Added

- One thing,
  and another.

### Fixed

- A third.

## [0.1.10] - 2026-12-01

### Added

- Everything.

[0.2.0]: ${page}/compare/v0.1.10...v0.2.0
[0.1.10]: ${page}/releases/tag/v0.1.10
`;

test('The changelog of this package has the required format, and its version is the newest', () => {
	const changelog = read('CHANGELOG.md');
	expect(formFaults(changelog)).toEqual([]);
	const released = sectionsOf(changelog).filter(({ name }) => name !== 'Unreleased');
	expect(released[0]?.name).toBe(packageJson.version);
});

describe('A changelog', () => {
	test('in the required format has no problems, and consists of the texts of its versions', () => {
		expect(formFaults(validChangelog)).toEqual([]);
		expect(sectionsOf(validChangelog)).toEqual([
			{ name: 'Unreleased', date: '', text: '' },
			{
				name: '0.2.0',
				date: '2026-12-31',
				text: '### Added\n\n- One thing,\n  and another.\n\n### Fixed\n\n- A third.',
			},
			{ name: '0.1.10', date: '2026-12-01', text: '### Added\n\n- Everything.' },
		]);
	});

	test.each([
		['# Changelog', '# Changes', /does not begin with '# Changelog'/],
		['[0.2.0] - 2026-12-31', '0.2.0 (2026-12-31)', /^'0\.2\.0 \(2026-12-31\)' is neither/],
		['[0.2.0] - 2026-12-31', '[0.2.0] - 2026-02-30', /'2026-02-30' of '0\.2\.0' is not a date/],
		['[0.2.0] - 2026-12-31', '[0.2.0] - 2026-11-30', /'0\.2\.0' is older than '0\.1\.10'/],
		['[0.2.0] - 2026-12-31', '[0.1.9] - 2026-12-31', /'0\.1\.9' does not come after '0\.1\.10'/],
		['[0.1.10] - 2026-12-01', 'Unreleased', /'Unreleased' is not the first section/],
		['### Fixed', '### Bugs', /^'Bugs' in '0\.2\.0' is not one of Added, Changed/],
		['### Fixed', '### Added', /^'0\.2\.0' contains 'Added' twice/],
		['- A third.', '', /^'Fixed' in '0\.2\.0' is empty/],
		[`[0.1.10]: ${page}`, `[0.1.1]: ${page}`, /^'\[0\.1\.10\]' has no link to v0\.1\.10/],
	])('has a problem when %j is replaced by %j', (from, to, says) => {
		expect(formFaults(validChangelog.replace(from, to))).toContainEqual(
			expect.stringMatching(says),
		);
	});
});

describe('A release', () => {
	const valid = { tag: 'v0.2.0', version: '0.2.0', lockedVersion: '0.2.0' };
	const changed = (from: string, to: string) => ({ changelog: validChangelog.replace(from, to) });

	test('can be published when package.json, lock file and changelog have its version', () => {
		expect(releaseFaults({ ...valid, changelog: validChangelog })).toEqual([]);
	});

	test.each([
		['has the tag of another version', { tag: 'v0.3.0' }, /^The tag is 'v0\.3\.0', but/],
		['is not in the lock file', { lockedVersion: '0.1.10' }, /0\.1\.10 in package-lock\.json/],
		['is not in the changelog', { version: '0.3.0' }, /CHANGELOG\.md is 0\.2\.0, not 0\.3\.0/],
		['is a pre-release', { version: '0.2.0-beta.1' }, /is not a release version/],
		[
			'has unreleased entries in the changelog',
			changed('## Unreleased\n', '## Unreleased\n\n### Added\n\n- More.\n'),
			/still has entries under 'Unreleased'/,
		],
		[
			'is not dated in the changelog',
			changed('2026-12-31', 'not released yet'),
			/says that 0\.2\.0 is not released yet/,
		],
		['has an invalid changelog', changed('### Fixed', '### Bugs'), /'Bugs'/],
	])('cannot be published when it %s', (_, differing, says) => {
		expect(releaseFaults({ ...valid, changelog: validChangelog, ...differing })).toContainEqual(
			expect.stringMatching(says),
		);
	});
});

test('Benchmarks of another build are reported', () => {
	const measured = `<!-- bench:posts -->\n\n${digestLine('e'.repeat(64))}\n\n<!-- /bench:posts -->\n`;
	expect(benchmarkFaults(measured, 'e'.repeat(64))).toEqual([]);
	expect(benchmarkFaults(measured, 'd'.repeat(64))).toEqual([
		expect.stringContaining("'posts' was measured with build eeeeeeeeeeee"),
	]);
});

test('The digest of a build depends on its JavaScript only', () => {
	const folder = mkdtempSync(join(tmpdir(), 'build-'));
	const digestWith = (name: string, text: string) => {
		writeFileSync(join(folder, name), text);
		return digestOf(folder);
	};
	try {
		expect(() => digestOf(folder)).toThrow('no JavaScript');
		const first = digestWith('a.js', 'a();');
		expect(digestWith('icon.svg', '<svg/>')).toBe(first);
		expect(digestWith('a.js', 'a(1);')).not.toBe(first);
		expect(digestWith('a.js', 'a();')).toBe(first);
		expect(digestWith('b.js', '')).not.toBe(first);
	} finally {
		rmSync(folder, { recursive: true });
	}
});
