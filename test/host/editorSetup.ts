import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import type { Emulator } from '../emulator';
import type { N8n } from '../n8n/n8n';
import type { Credential, Rest } from '../n8n/rest';
import { Setup, withEditor } from '../n8n/setup';
import { CREDENTIAL_TYPE, manual, row } from '../n8n/workflows';
import { EditorPage } from './editorPage';

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

/** The types of the credentials of other services, which the examples use. */
const otherTypes = ['smtp', 'telegramApi', 'nextCloudApi', 'openAiApi', 'postgres'];

/** Turns off animations, which make the browser draw all the time. */
const still = '*, ::before, ::after { transition: none !important; animation: none !important; }';

/** The time within which every element has to appear. */
const TIMEOUT_MS = 45_000;

async function startBrowser(): Promise<Browser> {
	if (existsSync(executablePath)) return await chromium.launch({ executablePath, args });
	throw new Error(
		`There is no Chromium at ${executablePath}. On Debian, run apt-get install chromium. ` +
			'Otherwise, set the environment variable CHROMIUM to the path of the program.',
	);
}

/** An emulated platform, an n8n with the packed package, and its editor in Chromium with a workflow. */
export class EditorSetup {
	private constructor(
		private readonly base: Setup,
		readonly editor: EditorPage,
		readonly browser: Browser,
		/** The credentials of other services. */
		readonly credentials: Credential[],
	) {}

	static async start(): Promise<EditorSetup> {
		const [base, browser] = await Promise.all([Setup.start({ env: withEditor }), startBrowser()]);
		// The editor reads the credentials once.
		const create = async (type: string) =>
			await base.rest.createCredential({ name: type, type, data: {} });
		const credentials = await Promise.all(otherTypes.map(create));
		const { url, cookies } = base.rest;
		// n8n does not cut off the bar above the output at this width.
		const viewport = { width: 1400, height: 900 };
		const context = await browser.newContext({ viewport, colorScheme: 'light', locale: 'en-US' });
		await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url })));
		const page = await context.newPage();
		page.setDefaultTimeout(TIMEOUT_MS);
		const workflow = await base.rest.createWorkflow(row('Article to post', manual()));
		await page.goto(`${url}/workflow/${workflow.id}`);
		await page.addStyleTag({ content: still });
		return new EditorSetup(base, new EditorPage(page), browser, credentials);
	}

	get emulator(): Emulator {
		return this.base.emulator;
	}

	get n8n(): N8n {
		return this.base.n8n;
	}

	get rest(): Rest {
		return this.base.rest;
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
		await this.base.stop();
	}
}
