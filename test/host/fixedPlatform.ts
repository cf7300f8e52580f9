import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A platform with one fixed response, which the emulator would not send. */
export class FixedPlatform {
	/** The paths of the requests. */
	readonly paths: string[] = [];

	private constructor(private readonly server: Server) {}

	static async start(status: number, body: unknown): Promise<FixedPlatform> {
		const server = createServer((request, response) => {
			fixed.paths.push(request.url ?? '');
			void text(request).then(() => {
				response.writeHead(status, { 'content-type': 'application/json' });
				response.end(JSON.stringify(body));
			});
		});
		const fixed = new FixedPlatform(server);
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return fixed;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}
