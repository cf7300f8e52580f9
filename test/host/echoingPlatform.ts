import { text } from 'node:stream/consumers';
import { loopback, type Loopback } from '../loopback';
import { linksOf } from './fileFlow';

/** How the platform responds to a post. */
export type Reaction = 'accept' | 'refuse' | 'close' | 'redirect';

/** A platform whose responses repeat the request, and the links of all requests so far. */
export class EchoingPlatform {
	readonly links: string[] = [];

	/** The reactions to the next posts. Later posts are accepted. */
	reactions: Reaction[] = [];

	private server!: Loopback;

	static async start(): Promise<EchoingPlatform> {
		const platform = new EchoingPlatform();
		platform.server = await loopback((request, response) => {
			void text(request).then((body) => {
				const isPost = request.url?.includes('socialPostCreate');
				const reaction = (isPost && platform.reactions.shift()) || 'accept';
				if (isPost) platform.links.push(...linksOf(body));
				if (reaction === 'close') return void request.socket.destroy();
				const { status = 200, headers, page } = platform.answer(reaction, body);
				response.writeHead(status, headers).end(page);
			});
		});
		return platform;
	}

	get url(): string {
		return this.server.url;
	}

	async stop(): Promise<void> {
		await this.server.stop();
	}

	private answer(reaction: Reaction, body: string) {
		const { links } = this;
		const all = links.join(' ');
		if (reaction === 'redirect') return { status: 302, headers: { location: links.at(-1) } };
		const base64 = Buffer.from(links.at(-1) ?? '').toString('base64');
		const echo = { links, all, encoded: encodeURIComponent(all), base64, body };
		const success = reaction === 'accept';
		const data = { access_token: 'token-of-the-platform', action_sn: 'SA1', ...echo };
		const message = JSON.stringify(echo);
		const envelope = { requestId: 'r1', success, code: success ? 200 : 1002, message, data };
		return {
			headers: { 'content-type': 'application/json', 'x-links': all },
			page: JSON.stringify(envelope),
		};
	}
}
