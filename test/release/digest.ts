import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

/**
 * The SHA-256 of the compiled JavaScript, which identifies a build. The compiler removes comments, so they do
 * not change it.
 *
 * @param folder `dist` or a copy of it
 */
export function digestOf(folder: string): string {
	const hash = createHash('sha256');
	const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
		.filter((path) => path.endsWith('.js'))
		.sort();
	if (files.length === 0) throw new Error(`There is no JavaScript in ${folder}`);
	for (const path of files) {
		const content = createHash('sha256').update(readFileSync(join(folder, path)));
		hash.update(`${path} ${content.digest('hex')}\n`);
	}
	return hash.digest('hex');
}

/** Compiles the present sources into a temporary folder, and returns their digest. */
export function digestOfSources(): string {
	const tsc = join(root, 'node_modules/typescript/bin/tsc');
	const project = join(root, 'tsconfig.build.json');
	return inFolder((folder) => {
		run(process.execPath, [tsc, '-p', project, '--outDir', folder]);
		return digestOf(folder);
	});
}

/** @param tarball the packed package */
export function digestOfTarball(tarball: string): string {
	return inFolder((folder) => {
		run('tar', ['-xzf', tarball, '-C', folder]);
		return digestOf(join(folder, 'package', 'dist'));
	});
}

function inFolder<T>(work: (folder: string) => T): T {
	const folder = mkdtempSync(join(tmpdir(), 'digest-'));
	try {
		return work(folder);
	} finally {
		rmSync(folder, { recursive: true });
	}
}

function run(program: string, args: string[]): void {
	const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' });
	if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stdout}${stderr}`);
}
