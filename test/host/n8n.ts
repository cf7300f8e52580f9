import { mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child';
import { hostNode, n8nProgram } from './install';
import { freePort } from './ports';

/** One n8n process with a user folder of its own, listening on the loopback address only. */

/** Everything n8n would fetch from, or report to, the outside is off. */
const quiet = {
	N8N_DIAGNOSTICS_ENABLED: 'false',
	N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
	N8N_DYNAMIC_BANNERS_ENABLED: 'false',
	N8N_TEMPLATES_ENABLED: 'false',
	N8N_PERSONALIZATION_ENABLED: 'false',
	N8N_HIRING_BANNER_ENABLED: 'false',
	N8N_LICENSE_AUTO_RENEW_ENABLED: 'false',
	N8N_VERIFIED_PACKAGES_ENABLED: 'false',
	N8N_DISABLED_MODULES: [
		'mcp-registry,instance-ai,agents,chat-hub,insights,mcp,workflow-builder,quick-connect',
		'n8n-packages,workflow-reviews,breaking-changes,source-control,external-secrets',
		'dynamic-credentials,sso-oidc,sso-saml,ldap,log-streaming,provisioning,favorites,otel',
		'token-exchange,runtime-credentials',
	].join(','),
};

export interface N8nOptions {
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
		const port = await freePort(options.port);
		const { PATH, HOME, LANG, TZ, TMPDIR } = process.env;
		const child = new Child({
			program: hostNode,
			args: [n8nProgram, 'start'],
			cwd: userFolder,
			logFile: join(userFolder, 'n8n.log'),
			env: {
				...{ PATH, HOME, LANG, TZ, TMPDIR },
				...quiet,
				NODE_ENV: 'production',
				N8N_USER_FOLDER: userFolder,
				N8N_LISTEN_ADDRESS: '127.0.0.1',
				N8N_HOST: '127.0.0.1',
				N8N_PROTOCOL: 'http',
				N8N_PORT: String(port),
				N8N_SECURE_COOKIE: 'false',
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				N8N_ENCRYPTION_KEY: options.encryptionKey ?? 'host-tests-encryption-key',
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

async function ready(url: string, child: Child): Promise<void> {
	const deadline = Date.now() + 180_000;
	while (child.running && Date.now() < deadline) {
		const answer = await fetch(`${url}/healthz/readiness`).catch(() => undefined);
		if (answer?.status === 200) return;
		await new Promise((resolve) => setTimeout(resolve, 250));
	}
	await child.stop();
	throw new Error(`n8n did not get ready:\n${child.log().slice(-3000)}`);
}
