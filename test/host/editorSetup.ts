import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { type Emulator, startEmulator } from '../emulator';
import { EditorPage } from './editorPage';
import { N8n } from '../n8n/n8n';
import { packed, unpack } from '../n8n/pack';
import { type Credential, Rest } from '../n8n/rest';
import { CREDENTIAL_TYPE } from '../n8n/workflows';

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/**
 * CI runs as root, so the sandbox cannot be used. The other options turn off requests to the internet, for
 * example for the font of n8n's forms.
 */
const args = [
	...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
	...['--disable-background-networking', '--disable-component-update'],
	...['--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1', '--no-proxy-server'],
];

/** The time within which every element has to appear. */
const TIMEOUT_MS = 45_000;

async function startBrowser(): Promise<Browser> {
	if (existsSync(executablePath)) return await chromium.launch({ executablePath, args });
	throw new Error(
		`There is no Chromium at ${executablePath}. On Debian, run apt-get install chromium. ` +
			'Otherwise, set the environment variable CHROMIUM to the path of the program.',
	);
}

/** An emulated platform, an n8n with the packed package, and its editor in Chromium, signed in. */
export class EditorSetup {
	private constructor(
		readonly emulator: Emulator,
		readonly n8n: N8n,
		readonly rest: Rest,
		readonly editor: EditorPage,
		private readonly browser: Browser,
	) {}

	static async start(): Promise<EditorSetup> {
		const browser = await startBrowser();
		const userFolder = N8n.makeUserFolder();
		unpack(await packed(), userFolder);
		const n8n = await N8n.start({ userFolder });
		const rest = new Rest(n8n.url);
		const [email, password] = ['owner@example.com', `Aa1${randomBytes(12).toString('hex')}`];
		try {
			await rest.setUpOwner(email, password);
			const viewport = { width: 1280, height: 900 };
			const page = await browser.newPage({ viewport, colorScheme: 'light', locale: 'en-US' });
			page.setDefaultTimeout(TIMEOUT_MS);
			const editor = new EditorPage(page, n8n.url);
			await editor.signIn(email, password);
			return new EditorSetup(
				await startEmulator({ webhookTimeoutMs: 30_000 }),
				n8n,
				rest,
				editor,
				browser,
			);
		} catch (error) {
			await browser.close();
			await n8n.stop();
			throw error;
		}
	}

	/** The credential that was created in the editor. */
	async credential(): Promise<Credential> {
		const all = await this.rest.call<Credential[]>('GET', '/rest/credentials');
		const found = all.find(({ type }) => type === CREDENTIAL_TYPE);
		if (!found) throw new Error('The credential of the platform was not created');
		return found;
	}

	async stop(): Promise<void> {
		await this.browser.close();
		await this.n8n.stop();
		await this.n8n.deleteUserFolder();
		await this.emulator.stop();
	}
}
