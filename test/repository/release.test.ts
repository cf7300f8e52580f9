import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { formFaults, sectionsOf } from '../release/changelog';
import { benchmarkFaults, digestLine } from '../release/benchmarkFaults';
import { digestOf } from '../release/digest';
import { releaseFaults } from '../release/releaseFaults';

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

const changelog = readFileSync(join(__dirname, '../../CHANGELOG.md'), 'utf8');

test('The changelog of this package has the required format', () => {
	expect(formFaults(changelog)).toEqual([]);
});

test('The version of this package is the newest in its changelog', () => {
	const released = sectionsOf(changelog).filter(({ name }) => name !== 'Unreleased');
	expect(released[0]?.name).toBe(packageJson.version);
});

describe('A changelog', () => {
	test('has no problems in the required format', () => {
		expect(formFaults(validChangelog)).toEqual([]);
		expect(sectionsOf(validChangelog).map(({ name, date }) => [name, date])).toEqual([
			['Unreleased', ''],
			['0.2.0', '2026-12-31'],
			['0.1.10', '2026-12-01'],
		]);
		expect(sectionsOf(validChangelog)[1]?.text).toMatch(/^### Added\n[^]*- A third\.$/);
		expect(sectionsOf(validChangelog)[2]?.text).toBe('### Added\n\n- Everything.');
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
		['## Unreleased\n', '## Unreleased\n\n- Something.\n', /'Unreleased' has text outside/],
		[`[0.1.10]: ${page}`, `[0.1.1]: ${page}`, /^'\[0\.1\.10\]' has no link to v0\.1\.10/],
	])('has a problem when %j is replaced by %j', (from, to, says) => {
		expect(formFaults(validChangelog.replace(from, to))).toContainEqual(
			expect.stringMatching(says),
		);
	});
});

describe('A release', () => {
	const release = {
		...{ tag: 'v0.2.0', version: '0.2.0', lockedVersion: '0.2.0', changelog: validChangelog },
	};

	test('can be published when package.json, lock file and changelog have its version', () => {
		expect(releaseFaults(release)).toEqual([]);
	});

	test.each([
		[
			'has the tag of another version',
			{ tag: 'v0.3.0' },
			/^The tag is 'v0\.3\.0', but the version/,
		],
		['has a tag that does not begin with v', { tag: '0.2.0' }, /requires 'v0\.2\.0'/],
		['has no tag', { tag: '' }, /^The tag is ''/],
		[
			'is not in the lock file',
			{ lockedVersion: '0.1.10' },
			/^The version is 0\.1\.10 in package-lock\.json/,
		],
		[
			'is not in the changelog',
			{ tag: 'v0.3.0', version: '0.3.0', lockedVersion: '0.3.0' },
			/newest version in CHANGELOG\.md is 0\.2\.0, not 0\.3\.0/,
		],
		[
			'is a pre-release',
			{ version: '0.2.0-beta.1', tag: 'v0.2.0-beta.1' },
			/is not a release version/,
		],
		[
			'has unreleased entries in the changelog',
			{
				changelog: validChangelog.replace(
					'## Unreleased\n',
					'## Unreleased\n\n### Added\n\n- More.\n',
				),
			},
			/still has entries under 'Unreleased'/,
		],
		[
			'is not dated in the changelog',
			{ changelog: validChangelog.replace('2026-12-31', 'not released yet') },
			/says that 0\.2\.0 is not released yet/,
		],
		[
			'has an invalid changelog',
			{ changelog: validChangelog.replace('### Fixed', '### Bugs') },
			/'Bugs'/,
		],
	])('cannot be published when it %s', (_, differing, says) => {
		expect(releaseFaults({ ...release, ...differing })).toContainEqual(expect.stringMatching(says));
	});
});

test('Benchmarks of another build are reported', () => {
	const page = `<!-- bench:posts -->\n\n${digestLine('e'.repeat(64))}\n\n<!-- /bench:posts -->\n`;
	expect(benchmarkFaults(page, 'e'.repeat(64))).toEqual([]);
	expect(benchmarkFaults(page, 'd'.repeat(64))).toEqual([
		expect.stringContaining("'posts' was measured with build eeeeeeeeeeee"),
	]);
});

describe('The digest of a build', () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'build-'));
		mkdirSync(join(folder, 'nodes'));
		writeFileSync(join(folder, 'a.js'), 'a();');
		writeFileSync(join(folder, 'nodes', 'b.js'), 'b();');
	});
	afterEach(() => rmSync(folder, { recursive: true }));

	test('is the same for the same JavaScript, regardless of other files', () => {
		const before = digestOf(folder);
		expect(before).toMatch(/^[0-9a-f]{64}$/);
		writeFileSync(join(folder, 'icon.svg'), '<svg/>');
		expect(digestOf(folder)).toBe(before);
	});

	test.each([
		['changed', 'a.js', 'a(1);'],
		['added', 'c.js', ''],
		['moved', 'nodes/a.js', 'a();'],
	])('is different when a file was %s', (_, path, text) => {
		const before = digestOf(folder);
		if (path === 'nodes/a.js') rmSync(join(folder, 'a.js'));
		writeFileSync(join(folder, path), text);
		expect(digestOf(folder)).not.toBe(before);
	});

	test('cannot be computed for an empty build', () => {
		rmSync(join(folder, 'a.js'));
		rmSync(join(folder, 'nodes', 'b.js'));
		expect(() => digestOf(folder)).toThrow('no JavaScript');
	});
});
