import { randomBytes } from 'node:crypto';
import { type Emulator, type EmulatorOptions, startEmulator } from '../emulator';
import { lean, N8n, type N8nOptions } from './n8n';
import { packed, unpack } from './pack';
import { postJson } from './postJson';
import { Rest, type Credential } from './rest';
import { OWNER, saveDatabase, useSavedDatabase } from './savedDatabase';
import { type Finding, sweep } from './sweep';
import { CREDENTIAL_TYPE } from './workflows';

/** For tests of what n8n tells its editor. Without the editor, n8n starts in half the time. */
export const withEditor = { N8N_DISABLE_UI: 'false' };

/** On a busy machine, the database takes longer than n8n's default of 5 s. n8n then refuses all requests. */
const patient = { DB_PING_TIMEOUT_MS: '60000' };

/** An emulated platform, and an n8n with the packed package and a signed-in owner. */
export class Setup {
	/** Texts that n8n has sent to people and other programs, which are searched for secrets, too. */
	readonly shown: string[] = [];

	private constructor(
		readonly emulator: Emulator,
		public n8n: N8n,
		readonly rest: Rest,
		private readonly options: N8nOptions,
	) {}

	static async start(given: N8nOptions = {}, platform: EmulatorOptions = {}): Promise<Setup> {
		const userFolder = given.userFolder ?? N8n.makeUserFolder();
		const env: NodeJS.ProcessEnv = {
			...lean,
			...patient,
			N8N_DISABLE_UI: 'true',
			...given.env,
		};
		const options = { ...given, env, userFolder };
		unpack(await packed(), userFolder);
		const isSQLite = env.DB_TYPE === undefined;
		const hasOwner = isSQLite && useSavedDatabase(userFolder);
		const n8n = await N8n.start(options);
		const rest = new Rest(n8n.url);
		try {
			const { email, password } = OWNER;
			await (hasOwner ? rest.signIn(email, password) : rest.setUpOwner(email, password));
			if (isSQLite && !hasOwner) saveDatabase(userFolder);
			const appSecret = randomBytes(24).toString('base64');
			const emulator = await startEmulator({ ...platform, appSecret });
			return new Setup(emulator, n8n, rest, options);
		} catch (error) {
			await n8n.stop();
			throw error;
		}
	}

	/** Starts a stopped n8n again with the same URL and data, and with these additional variables. */
	async restart(more: NodeJS.ProcessEnv = {}): Promise<void> {
		const env = { ...this.options.env, ...more };
		const port = Number(new URL(this.n8n.url).port);
		this.n8n = await N8n.start({ ...this.options, port, env });
	}

	/** Creates a credential for the emulator, without an access token. */
	async credential(
		name: string,
		data: Record<string, unknown> = {},
		type = CREDENTIAL_TYPE,
	): Promise<Credential> {
		const { url: baseUrl, appId, appSecret } = this.emulator;
		const own = { baseUrl, appId, appSecret, ...data };
		return await this.rest.createCredential({ name, type, data: own });
	}

	/** The number of requests for an operation since the last reset of the platform. */
	arrived(operation: string): number {
		return this.emulator.received.filter((request) => request.operation === operation).length;
	}

	/** The raw bodies of the requests to create posts. */
	bodies(): string[] {
		return this.emulator.received
			.filter(({ operation }) => operation === 'createPost')
			.map(({ rawBody }) => rawBody);
	}

	async production(path: string, body: unknown): Promise<{ status: number; body: string }> {
		const response = await postJson(`${this.n8n.url}/webhook/${path}`, body);
		return { status: response.status, body: await response.text() };
	}

	/** All tokens that were issued, including those before a reset. */
	tokens(): string[] {
		return this.emulator.issued.secrets();
	}

	/** The App Secret and all tokens that were issued. */
	private secrets(): Record<string, string> {
		const issued = this.tokens().map(
			(token, index) => [`access token ${index + 1}`, token] as const,
		);
		return { 'App Secret': this.emulator.appSecret, ...Object.fromEntries(issued) };
	}

	/** Searches n8n's stored data and log, the requested URLs, the shown texts and these for secrets. */
	async sweep(texts: Record<string, string> = {}): Promise<Finding[]> {
		const addresses = [...this.emulator.addresses].join('\n');
		const { userFolder } = this.n8n;
		const more = { addresses, log: this.n8n.log(), shown: this.shown.join('\n'), ...texts };
		return sweep(this.secrets(), { userFolder, texts: more });
	}

	/**
	 * Stops everything and deletes n8n's data.
	 *
	 * @throws Error if n8n's data contains a secret
	 */
	async stop(): Promise<void> {
		await this.n8n.stop();
		const found = await this.sweep();
		await this.n8n.deleteUserFolder();
		await this.emulator.stop();
		if (found.length > 0)
			throw new Error(`n8n has stored secrets: ${JSON.stringify(found, null, '\t')}`);
	}
}
