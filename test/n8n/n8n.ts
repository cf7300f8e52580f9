import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child';
import { type Host, modulesOf, programOf, thisHost } from './hosts';
import { hostNode } from './install';
import { root } from './pack';
import { freePort } from './ports';
import { until } from './until';

/** Turns off all requests of n8n to the internet. */
export const quiet = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
};

/** Without the process for Code nodes, which no test uses. */
export const lean = { N8N_RUNNERS_MODE: 'external', N8N_RUNNERS_AUTH_TOKEN: 'not-used' };

/** Node keeps compiled code here, for later starts of n8n. */
const compiledCode = { NODE_COMPILE_CACHE: join(root, '.host', 'compiled') };

/** A module that n8n preloads, so that it uses only its own packages. */
const ownPackages = join(__dirname, 'ownPackages.cjs');

export interface N8nOptions {
	/** In queue mode, n8n has processes of other kinds. */
	command?: 'start' | 'worker' | 'webhook';
	/** The default is the n8n of this test run. */
	host?: Host;
	/** The default is a new temporary folder. */
	userFolder?: string;
	port?: number;
	encryptionKey?: string;
	env?: NodeJS.ProcessEnv;
}

/** An n8n process with its own user folder, which listens on the loopback address only. */
export class N8n {
	private constructor(
		readonly url: string,
		readonly userFolder: string,
		readonly bootMs: number,
		private readonly child: Child,
	) {}

	static makeUserFolder = (): string => mkdtempSync(join(tmpdir(), 'n8n-host-'));

	static async start(options: N8nOptions = {}): Promise<N8n> {
		const started = Date.now();
		const userFolder = options.userFolder ?? N8n.makeUserFolder();
		mkdirSync(join(userFolder, '.n8n'), { recursive: true });
		const { host = thisHost, command = 'start' } = options;
		const port = await freePort(options.port);
		const { PATH, HOME, LANG, TZ, TMPDIR } = process.env;
		const child = new Child({
			program: hostNode,
			args: ['--require', ownPackages, programOf(host), command],
			cwd: userFolder,
			logFile: join(userFolder, 'n8n.log'),
			env: {
				...{ PATH, HOME, LANG, TZ, TMPDIR },
				...quiet,
				...compiledCode,
				N8N_DISABLED_MODULES: host.disabledModules.join(','),
				OWN_PACKAGES: modulesOf(host),
				NODE_ENV: 'production',
				N8N_USER_FOLDER: userFolder,
				N8N_LISTEN_ADDRESS: '127.0.0.1',
				N8N_HOST: '127.0.0.1',
				N8N_PROTOCOL: 'http',
				N8N_PORT: String(port),
				N8N_SECURE_COOKIE: 'false',
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				N8N_ENCRYPTION_KEY: options.encryptionKey ?? 'host-tests-encryption-key',
				...host.env,
				...options.env,
			},
		});
		const url = `http://127.0.0.1:${port}`;
		await ready(url, child, command === 'start');
		return new N8n(url, userFolder, Date.now() - started, child);
	}

	/** Resolves when the process has ended, for any reason. */
	get ended(): Promise<number | string> {
		return this.child.ended;
	}

	/** The output since this start. */
	log = (): string => this.child.log();

	kill(signal: NodeJS.Signals): void {
		this.child.kill(signal);
	}

	/** Sends SIGTERM, then SIGKILL after the given time. Returns the exit code or the signal. */
	async stop(timeoutMs?: number): Promise<number | string> {
		return await this.child.stop(timeoutMs);
	}

	/** Deletes the user folder of a stopped n8n. */
	async deleteUserFolder(): Promise<void> {
		await rm(this.userFolder, { recursive: true, force: true });
	}
}

/** What n8n says at the end of its start. */
const STARTED = 'Editor is now accessible';

/** The status of a response, if there is one. */
const statusOf = async (url: string): Promise<number | undefined> =>
	await fetch(url).then(
		({ status }) => status,
		() => undefined,
	);

async function ready(url: string, child: Child, hasRest: boolean): Promise<void> {
	const state = async () => {
		if (!child.running) return 'ended';
		if ((await statusOf(`${url}/healthz/readiness`)) !== 200) return undefined;
		if (!hasRest) return 'ready';
		// When n8n 1 reports that it is ready, it does not accept other requests yet. When it accepts
		// them, it may still be looking for executions that crashed before its start.
		const isStarted = child.log().includes(STARTED);
		return isStarted && (await statusOf(`${url}/rest/login`)) === 401 && 'ready';
	};
	const found = await until(state, 300_000, 'n8n').catch((error: Error) => error.message);
	if (found === 'ready') return;
	await child.stop();
	throw new Error(`n8n did not start (${found}):\n${child.log().slice(-3000)}`);
}
