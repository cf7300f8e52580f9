/**
 * Rehearses a release without a registry: `npx tsx test/release/rehearse.ts`. Exits with 1 if the check of
 * the tag, the build, the package or npm's dry run fails. Prints warnings, what npm will sign, and the text of the release page.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { NOT_YET, sectionsOf } from './changelog';
import { digestOfSources, digestOfTarball } from './digest';

const root = join(__dirname, '../..');

function run(program: string, ...args: string[]): string {
	return execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] });
}

/** Builds and packs the package as the publishing workflow does. Returns the path of the tarball. */
function pack(folder: string): string {
	run('npm', 'run', '--silent', 'build');
	return join(folder, run('npm', 'pack', '--silent', '--pack-destination', folder).trim());
}

/** Runs the check of the publishing workflow. Returns what is left to do before the release. */
function check(version: string): string {
	const args = ['--import', 'tsx', 'test/release/check.ts', `v${version}`];
	const { stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
	const isExpected = (line: string) =>
		!line || line.startsWith('Warning: ') || line.includes(NOT_YET);
	if (stderr.split('\n').every(isExpected)) return stderr;
	throw new Error(`The version cannot be released:\n${stderr}`);
}

const sha512 = (path: string) => createHash('sha512').update(readFileSync(path)).digest('hex');

function rehearse(folder: string): void {
	const { name, version, repository } = packageJson;
	const left = check(version);
	const tarball = pack(folder);
	const digest = sha512(tarball);
	if (digestOfTarball(tarball) !== digestOfSources()) {
		throw new Error('The packed JavaScript is not that of the sources.');
	}
	if (sha512(pack(folder)) !== digest) throw new Error('Two packed packages differ.');
	// Nothing listens at this address, so npm cannot ask a registry.
	const nowhere = ['--registry', 'http://127.0.0.1:9', '--fetch-retries', '0'];
	const published = ['publish', tarball, '--provenance', '--access', 'public'];
	run('npm', ...published, '--dry-run', '--json', ...nowhere);
	if (left) console.log(`Before the release:\n${left}`);
	console.log('npm will sign this statement about the package:');
	console.log(`  subject     pkg:npm/${name}@${version}`);
	console.log(`  sha512      ${digest}`);
	console.log(`  repository  ${repository.url}`);
	const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
	const notes = sectionsOf(changelog).find((section) => section.name === version)!.text;
	console.log(`\nThe release page of v${version}:\n\n${notes}`);
}

const folder = mkdtempSync(join(tmpdir(), 'release-'));
try {
	rehearse(folder);
} finally {
	rmSync(folder, { recursive: true });
}
