import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Child } from './child';
import { type Host, modulesOf, programOf, thisHost } from './hosts';
import { hostNode } from './install';
import { freePort } from './ports';

/** One n8n process with a user folder of its own, listening on the loopback address only. */

/** Everything n8n would fetch from, or report to, the outside is off. */
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

/** Preloaded, so that n8n finds its packages where they are installed. */
export const ownPackages = join(__dirname, 'ownPackages.cjs');

export interface N8nOptions {
	/** Which n8n; the one that this run is for when left out. */
	host?: Host;
	/** A temporary one when left out. */
	userFolder?: string;
	port?: number;
	encryptionKey?: string;
	env?: NodeJS.ProcessEnv;
}

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
		const { host = thisHost } = options;
		const port = await freePort(options.port);
		const { PATH, HOME, LANG, TZ, TMPDIR } = process.env;
		const child = new Child({
			program: hostNode,
			args: ['--require', ownPackages, programOf(host), 'start'],
			cwd: userFolder,
			logFile: join(userFolder, 'n8n.log'),
			env: {
				...{ PATH, HOME, LANG, TZ, TMPDIR },
				...quiet,
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
		await ready(url, child);
		return new N8n(url, userFolder, Date.now() - started, child);
	}

	/** Settles when the process has ended, for whatever reason. */
	get ended(): Promise<number | string> {
		return this.child.ended;
	}

	/** The output of this start. */
	log = (): string => this.child.log();

	kill(signal: NodeJS.Signals): void {
		this.child.kill(signal);
	}

	async stop(): Promise<void> {
		await this.child.stop();
	}

	/** Removes its user folder; only once it has stopped, and only where nothing is to be kept. */
	async forget(): Promise<void> {
		await rm(this.userFolder, { recursive: true, force: true });
	}
}

/** n8n 1 calls itself ready before it takes requests, so that it is asked for something, too. */
const answers = async (url: string): Promise<boolean> => {
	const paths = ['/healthz/readiness', '/rest/settings'];
	const asked = paths.map(async (path) => (await fetch(`${url}${path}`)).ok);
	return await Promise.all(asked).then(
		(replies) => replies.every(Boolean),
		() => false,
	);
};

async function ready(url: string, child: Child): Promise<void> {
	const deadline = Date.now() + 180_000;
	while (child.running && Date.now() < deadline) {
		if (await answers(url)) return;
		await sleep(250);
	}
	await child.stop();
	throw new Error(`n8n did not get ready:\n${child.log().slice(-3000)}`);
}
