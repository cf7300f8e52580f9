import { webhookReceiver } from '../emulator/webhook-receiver';
import { type Loopback, loopback } from '../loopback';
import { EditorSetup } from './editorSetup';
import { mailCredential } from './exampleFailures';
import { cloudDrive, imageService } from './fileServices';
import { type Mailbox, mailbox } from './mailbox';
import { telegram } from './telegram';
import { Postgres } from '../n8n/services';

const feed = () => `<?xml version="1.0"?><rss version="2.0"><channel>
	<title>Blog</title><link>https://blog.example.com</link><description>d</description>
	<item><title>From a feed</title><link>https://blog.example.com/feed-1</link><guid>feed-1</guid>
	<pubDate>${new Date().toUTCString()}</pubDate>
	<enclosure url="https://blog.example.com/f.jpg" length="1" type="image/jpeg"/></item>
	</channel></rss>`;

/** The editor with the services that the templates use. */
export class TemplateSetup {
	private constructor(
		readonly base: EditorSetup,
		readonly postgres: Postgres,
		readonly box: Mailbox,
		readonly chat: Awaited<ReturnType<typeof webhookReceiver>>,
		readonly site: Loopback,
		readonly drive: Awaited<ReturnType<typeof cloudDrive>>,
		readonly images: Awaited<ReturnType<typeof imageService>>,
		readonly bot: Awaited<ReturnType<typeof telegram>>,
	) {}

	static async start(): Promise<TemplateSetup> {
		const [postgres, box, chat, drive, images, bot] = await Promise.all([
			Postgres.start(),
			mailbox(),
			webhookReceiver(),
			cloudDrive(),
			imageService(),
			telegram(),
		]);
		const site = await loopback((_, response) => {
			response.writeHead(200, { 'content-type': 'application/rss+xml' }).end(feed());
		});
		const base = await EditorSetup.start();
		return new TemplateSetup(base, postgres, box, chat, site, drive, images, bot);
	}

	/** Creates credentials for the other services, which n8n then chooses in their nodes. */
	async createCredentials(): Promise<void> {
		const { rest } = this.base;
		await mailCredential(this.base, this.box);
		await this.drive.credential(this.base);
		await this.images.credential(this.base);
		await this.bot.credential(this.base);
		const { port, user, password, database } = this.postgres;
		const data = { host: '127.0.0.1', port, database, user, password, ssl: 'disable' };
		await rest.createCredential({ name: 'database', type: 'postgres', data });
	}

	async stop(): Promise<void> {
		await this.base.stop();
		await Promise.all([this.postgres.stop(), this.box.stop(), this.chat.close(), this.site.stop()]);
		await Promise.all([this.drive.stop(), this.images.stop(), this.bot.stop()]);
	}
}
