import { randomBytes } from 'node:crypto';
import { execFileSync, spawnSync } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	readdirSync,
	writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child';
import { freePort } from './ports';
import { until } from './until';

const { PATH } = process.env;

/** Waits until a service is ready. */
export async function waitUntilReady(name: string, child: Child, isReady: () => boolean) {
	const state = await until(() => (child.running ? isReady() && 'ready' : 'ended'), 30_000, name);
	if (state === 'ended') throw new Error(`${name} did not start:\n${child.log().slice(-2000)}`);
}

/** The Redis of Debian's package `redis-server`, with a temporary folder and a free port. */
export class Redis {
	private constructor(
		readonly port: number,
		private readonly folder: string,
		private readonly children: Child[],
	) {}

	static async start(): Promise<Redis> {
		const folder = mkdtempSync(join(tmpdir(), 'redis-host-'));
		const port = await freePort();
		const at = { cwd: folder, env: { PATH } };
		const server = new Child({
			...at,
			program: 'redis-server',
			args: ['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder, '--appendonly', 'yes'],
			logFile: join(folder, 'redis.log'),
		});
		const ping = () => spawnSync('redis-cli', ['-p', `${port}`, 'ping']).stdout?.includes('PONG');
		await waitUntilReady('Redis', server, ping);
		const monitor = new Child({
			...at,
			program: 'redis-cli',
			args: ['-p', `${port}`, 'monitor'],
			logFile: join(folder, 'commands.log'),
		});
		return new Redis(port, folder, [monitor, server]);
	}

	/** The length of a list. */
	length = (list: string): number =>
		Number(
			spawnSync('redis-cli', ['-p', `${this.port}`, 'llen', list], { encoding: 'utf8' }).stdout,
		);

	/** The contents of Redis's files: all changes and all commands, including messages. */
	kept(): Record<string, string> {
		const files = readdirSync(this.folder, { recursive: true, withFileTypes: true });
		const paths = files
			.filter((file) => file.isFile())
			.map((file) => join(file.parentPath, file.name));
		return Object.fromEntries(paths.map((path) => [path, readFileSync(path, 'latin1')]));
	}

	async stop(): Promise<void> {
		for (const child of this.children) await child.stop();
		await rm(this.folder, { recursive: true, force: true });
	}
}

/** The folder with the programs of the newest installed PostgreSQL. */
function programs(): string {
	const all = '/usr/lib/postgresql';
	const versions = existsSync(all) ? readdirSync(all).map(Number).filter(Number.isFinite) : [];
	if (versions.length === 0)
		throw new Error('PostgreSQL is not installed. On Debian: apt-get install postgresql');
	return join(all, String(Math.max(...versions)), 'bin');
}

/** A command prefix that runs a program as another user, because PostgreSQL refuses to run as root. */
function asAnyoneButRoot(): string[] {
	if (process.getuid?.() !== 0) return [];
	const isThere = spawnSync('id', ['postgres'], { stdio: 'ignore' }).status === 0;
	const user = isThere ? 'postgres' : 'nobody';
	const group = execFileSync('id', ['-g', user], { encoding: 'utf8' }).trim();
	// A change of the user resets this setting, which kills the program when the test process ends.
	const lasting = ['--clear-groups', '--pdeathsig=KILL'];
	return ['setpriv', `--reuid=${user}`, `--regid=${group}`, ...lasting];
}

/** The name of the user. */
const NAME = 'n8n';

/** The PostgreSQL of Debian's package `postgresql`, with a temporary folder and a free port. */
export class Postgres {
	private constructor(
		readonly port: number,
		readonly password: string,
		private readonly folder: string,
		private readonly bin: string,
		private readonly child: Child,
	) {}

	readonly user = NAME;

	readonly database = 'postgres';

	static async start(): Promise<Postgres> {
		const bin = programs();
		const folder = mkdtempSync(join(tmpdir(), 'postgres-host-'));
		const [data, passwordFile] = [join(folder, 'data'), join(folder, 'password')];
		const password = randomBytes(18).toString('hex');
		writeFileSync(passwordFile, password);
		mkdirSync(data);
		const wrapping = asAnyoneButRoot();
		if (wrapping.length > 0) {
			chmodSync(folder, 0o755);
			execFileSync('chown', [wrapping[1]!.replace('--reuid=', ''), data, passwordFile]);
		}
		const run = (name: string, ...args: string[]): [string, ...string[]] =>
			[...wrapping, join(bin, name), ...args] as [string, ...string[]];
		const how = ['--auth=scram-sha-256', '--encoding=UTF8', '--no-locale', '--no-sync'];
		const init = run('initdb', '-D', data, '-U', NAME, `--pwfile=${passwordFile}`, ...how);
		execFileSync(init[0], init.slice(1), { cwd: folder, stdio: 'ignore' });
		const port = await freePort();
		const settings = [
			...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
			...['-c', 'fsync=off', '-c', 'max_connections=200'],
		];
		const [program, ...args] = run('postgres', '-D', data, '-p', `${port}`, ...settings);
		const logFile = join(folder, 'postgres.log');
		const child = new Child({ program, args, cwd: folder, env: { PATH }, logFile });
		const postgres = new Postgres(port, password, folder, bin, child);
		await waitUntilReady(
			'PostgreSQL',
			child,
			() => postgres.call('psql', '-c', 'select 1').status === 0,
		);
		return postgres;
	}

	/** All tables as text. */
	dump(): string {
		const { status, stdout, stderr } = this.call('pg_dump', '--data-only', '--inserts');
		if (status !== 0) throw new Error(`Cannot dump PostgreSQL: ${stderr}`);
		return stdout;
	}

	log = (): string => this.child.log();

	async stop(): Promise<void> {
		await this.child.stop();
		await rm(this.folder, { recursive: true, force: true });
	}

	private call(name: string, ...args: string[]) {
		const { env } = this;
		return spawnSync(join(this.bin, name), args, { encoding: 'utf8', maxBuffer: 2 ** 30, env });
	}

	/** The variables with which PostgreSQL's programs connect. */
	private get env(): NodeJS.ProcessEnv {
		return {
			...{ PATH, PGHOST: '127.0.0.1', PGPORT: `${this.port}`, PGUSER: this.user },
			...{ PGPASSWORD: this.password, PGDATABASE: this.database },
		};
	}
}
