/**
 * Runs n8n's lint command in the repository, and n8n's scanner for verified packages over the sources and
 * the packed tarball, without requests to the internet. Checks the files and the size of the tarball.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installPackages } from '../n8n/install';
import { strayAndMissing } from './contents';

interface Packed {
	filename: string;
	size: number;
	unpackedSize: number;
	files: Array<{ path: string }>;
}

interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

const MAX_PACKED_BYTES = 140_000;
const TARBALL_PATTERNS = ['**/*.js', 'package.json'];

const root = join(__dirname, '../..');
const scannerPath = 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs';

function npm(args: string[]): void {
	execFileSync('npm', args, { cwd: root, stdio: 'inherit' });
}

async function loadScanner(): Promise<Scanner> {
	if (!existsSync(join(__dirname, scannerPath)))
		await installPackages(__dirname, "Installing n8n's scanner");
	return (await import(pathToFileURL(join(__dirname, scannerPath)).href)) as Scanner;
}

/** Copies only the sources, because the scanner checks every file in the folder. */
function copySources(to: string): string {
	for (const name of ['package.json', 'nodes', 'credentials']) {
		cpSync(join(root, name), join(to, name), { recursive: true });
	}
	return to;
}

function pack(to: string): Packed {
	const args = ['pack', '--json', '--pack-destination', to];
	const [packed] = JSON.parse(
		execFileSync('npm', args, { cwd: root, encoding: 'utf8' }),
	) as Packed[];
	if (!packed) throw new Error('npm pack did not create a tarball.');
	execFileSync('tar', ['-xzf', join(to, packed.filename), '-C', to]);
	return packed;
}

/** n8n loads these paths from package.json. If one is missing, the whole package fails to load. */
function missingFiles(packageFolder: string): string[] {
	const { n8n } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
		n8n: { nodes: string[]; credentials: string[] };
	};
	return [...n8n.nodes, ...n8n.credentials].filter(
		(path) => !existsSync(join(packageFolder, path)),
	);
}

async function scan(folder: string): Promise<string[]> {
	const findings: string[] = [];
	const scanner = await loadScanner();

	npm(['run', '--silent', 'build']);
	const packed = pack(folder);
	const unpacked = join(folder, 'package');
	const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} kB`;
	console.log(
		`${packed.filename}: ${kilobytes(packed.size)} packed, ${kilobytes(packed.unpackedSize)} unpacked, ${packed.files.length} files`,
	);

	if (packed.size > MAX_PACKED_BYTES) {
		findings.push(`The package is larger than ${kilobytes(MAX_PACKED_BYTES)}.`);
	}
	findings.push(
		...strayAndMissing(
			root,
			packed.files.map(({ path }) => path),
		),
	);
	for (const path of missingFiles(unpacked)) {
		findings.push(`${path} is listed in package.json, but is not in the package.`);
	}

	const parts = [
		{
			name: 'sources',
			folder: copySources(join(folder, 'source')),
			patterns: scanner.SOURCE_FILE_PATTERNS,
		},
		{ name: 'tarball', folder: unpacked, patterns: TARBALL_PATTERNS },
	];
	for (const part of parts) {
		const result = await scanner.analyzePackage(part.folder, part.patterns);
		console.log(`${part.name}: ${result.passed ? 'nothing found' : 'findings'}`);
		if (!result.passed)
			findings.push(result.details ?? result.message ?? `${part.name} did not pass.`);
	}
	return findings;
}

function lintWithN8n(): void {
	const command = join(root, 'node_modules/.bin/n8n-node');
	execFileSync(command, ['lint'], { cwd: root, stdio: 'inherit' });
}

async function main(): Promise<void> {
	lintWithN8n();
	const folder = mkdtempSync(join(tmpdir(), 'scan-'));
	try {
		const findings = await scan(folder);
		for (const finding of findings) console.error(`\n${finding.replaceAll(`${folder}/`, '')}`);
		if (findings.length > 0) process.exitCode = 1;
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
