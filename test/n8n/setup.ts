import { randomBytes } from 'node:crypto';
import { type Emulator, type EmulatorOptions, startEmulator } from '../emulator';
import { N8n, type N8nOptions } from './n8n';
import { packed, unpack } from './pack';
import { postJson } from './postJson';
import { Rest, type Credential } from './rest';
import { type Finding, sweep } from './sweep';
import { CREDENTIAL_TYPE } from './workflows';

/** What a test file plays on: a platform, an n8n with the packed package, and its signed-in owner. */

export class Setup {
	private constructor(
		readonly emulator: Emulator,
		public n8n: N8n,
		readonly rest: Rest,
		private readonly options: N8nOptions,
	) {}

	static async start(options: N8nOptions = {}, platform: EmulatorOptions = {}): Promise<Setup> {
		const userFolder = options.userFolder ?? N8n.makeUserFolder();
		unpack(await packed(), userFolder);
		const n8n = await N8n.start({ ...options, userFolder });
		const rest = new Rest(n8n.url);
		try {
			await rest.setUpOwner('owner@example.com', `Aa1${randomBytes(12).toString('hex')}`);
			const appSecret = randomBytes(24).toString('base64');
			return new Setup(await startEmulator({ ...platform, appSecret }), n8n, rest, options);
		} catch (error) {
			await n8n.stop();
			throw error;
		}
	}

	/** Starts n8n once more after it has ended, at the same address and with the same data. */
	async restart(): Promise<void> {
		const { userFolder, url } = this.n8n;
		this.n8n = await N8n.start({ ...this.options, userFolder, port: Number(new URL(url).port) });
	}

	/** A credential for the emulator; a new one has no access token yet. */
	async credential(
		name: string,
		data: Record<string, unknown> = {},
		type = CREDENTIAL_TYPE,
	): Promise<Credential> {
		const { url: baseUrl, appId, appSecret } = this.emulator;
		const own = { baseUrl, appId, appSecret, ...data };
		return await this.rest.createCredential({ name, type, data: own });
	}

	/** How often an operation has arrived at the platform since the last reset. */
	arrived(operation: string): number {
		return this.emulator.received.filter((request) => request.operation === operation).length;
	}

	/** The bodies of the posts that have arrived, as they came over the wire. */
	bodies(): string[] {
		return this.emulator.received
			.filter(({ operation }) => operation === 'createPost')
			.map(({ rawBody }) => rawBody);
	}

	async production(path: string, body: unknown): Promise<{ status: number; body: string }> {
		const response = await postJson(`${this.n8n.url}/webhook/${path}`, body);
		return { status: response.status, body: await response.text() };
	}

	/** Every token ever issued, resets or not. */
	async tokens(): Promise<string[]> {
		const answer = await fetch(`${this.emulator.url}/__emulator/secrets`);
		return ((await answer.json()) as { tokens: string[] }).tokens;
	}

	/** The app secret and every token ever issued. */
	private async secrets(): Promise<Record<string, string>> {
		const tokens = await this.tokens();
		const issued = tokens.map((token, index) => [`access token ${index + 1}`, token] as const);
		return { 'app secret': this.emulator.appSecret, ...Object.fromEntries(issued) };
	}

	/** Looks for secrets in all that n8n has kept, and in the addresses it has sent requests to. */
	private async sweepKept(texts: Record<string, string>): Promise<Finding[]> {
		const addresses = [...this.emulator.addresses].join('\n');
		const { userFolder } = this.n8n;
		return sweep(await this.secrets(), { userFolder, texts: { addresses, ...texts } });
	}

	/** The same, and in executions as the editor gets them, as well as in these texts. */
	async sweep(texts: Record<string, string> = {}): Promise<Finding[]> {
		const shown: Record<string, string> = { log: this.n8n.log(), ...texts };
		for (const id of await this.rest.executionIds()) {
			shown[`execution ${id}`] = (await this.rest.execution(id)).raw;
		}
		return await this.sweepKept(shown);
	}

	/** Ends everything. Whatever was played here, n8n has kept no secret of it: else it throws. */
	async stop(): Promise<void> {
		await this.n8n.stop();
		const found = await this.sweepKept({});
		await this.n8n.forget();
		await this.emulator.stop();
		if (found.length > 0) throw new Error(`Kept by n8n: ${JSON.stringify(found, null, '\t')}`);
	}
}
