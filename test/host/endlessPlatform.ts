import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** An answer that begins, and comes to no end. */
export interface Beginning {
	contentType: string;
	said: string;
	/** What is said from then on, again and again; nothing, if left out. */
	drip?: string;
}

const event = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;

const inPieces = 'text/event-stream';
const asJson = {
	contentType: 'application/json',
	said: '{"id": "1", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Once',
};

/** Timers of the HTTP client end some of these, others they never notice. */
export const beginnings = {
	'falls silent before its first piece': { contentType: inPieces, said: ': wait\n\n' },
	'shows signs of life before its first piece': {
		contentType: inPieces,
		said: ': wait\n\n',
		drip: ': wait\n\n',
	},
	'falls silent after its first piece': {
		contentType: inPieces,
		said: event({ role: 'assistant', content: 'Once upon' }),
	},
	'falls silent in the middle of its JSON': asJson,
	'drips on in the middle of its JSON': { ...asJson, drip: ' ' },
} satisfies Record<string, Beginning>;

/** A platform that begins each answer, ends none, and keeps the connection. */
export class Endless {
	asked = 0;
	private readonly sockets = new Set<Socket>();

	private constructor(private readonly server: Server) {}

	static async saying({ contentType, said, drip }: Beginning): Promise<Endless> {
		const server = createServer((request: IncomingMessage, response) => {
			endless.asked += 1;
			void text(request).then(() => {
				response.writeHead(200, { 'content-type': contentType });
				response.write(said);
				if (drip === undefined) return;
				const timer = setInterval(() => response.write(drip), 300);
				response.once('close', () => clearInterval(timer));
			});
		});
		const endless = new Endless(server);
		server.on('connection', (socket) => {
			endless.sockets.add(socket);
			socket.once('close', () => endless.sockets.delete(socket));
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return endless;
	}

	/** How many connections are open. */
	get open(): number {
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
