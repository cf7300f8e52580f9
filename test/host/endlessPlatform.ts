import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** A response that begins and never ends. */
export interface EndlessResponse {
	contentType: string;
	start: string;
	/** The part that follows the start again and again. */
	repeated?: string;
}

const event = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;

const eventStream = 'text/event-stream';
const asJson = {
	contentType: 'application/json',
	start: '{"id": "1", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Once',
};

/** The timeout of the HTTP client ends only some of these responses. The node has to end the others. */
export const endlessResponses = {
	'stops before its first part': { contentType: eventStream, start: ': wait\n\n' },
	'sends only comments before its first part': {
		contentType: eventStream,
		start: ': wait\n\n',
		repeated: ': wait\n\n',
	},
	'stops after its first part': {
		contentType: eventStream,
		start: event({ role: 'assistant', content: 'Once upon' }),
	},
	'stops in the middle of its JSON': asJson,
	'sends spaces in the middle of its JSON': { ...asJson, repeated: ' ' },
} satisfies Record<string, EndlessResponse>;

/** A platform whose responses never end. */
export class EndlessPlatform {
	requests = 0;
	private readonly sockets = new Set<Socket>();

	private constructor(private readonly server: Server) {}

	static async start({ contentType, start, repeated }: EndlessResponse): Promise<EndlessPlatform> {
		const server = createServer((request: IncomingMessage, response) => {
			endless.requests += 1;
			void text(request).then(() => {
				response.writeHead(200, { 'content-type': contentType });
				response.write(start);
				if (repeated === undefined) return;
				const timer = setInterval(() => response.write(repeated), 300);
				response.once('close', () => clearInterval(timer));
			});
		});
		const endless = new EndlessPlatform(server);
		server.on('connection', (socket) => {
			endless.sockets.add(socket);
			socket.once('close', () => endless.sockets.delete(socket));
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return endless;
	}

	get openConnections(): number {
		return this.sockets.size;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}
