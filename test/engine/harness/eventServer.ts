import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loopback, type Loopback } from '../../loopback';
import { usePlatform, type Platform } from './platform';
import { joined, piecesOf, think } from './thinking';

export type Pieces = Array<string | Uint8Array>;

/** One event of a stream. */
export const event = (data: unknown, name?: string) =>
	`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

/** An event that adds a piece to the first choice, or ends it. */
export const delta = (one: object, finish_reason: string | null = null) =>
	event({ id: 'c1', model: 'm', choices: [{ index: 0, delta: one, finish_reason }] });
export const calling = (...tool_calls: unknown[]) => delta({ tool_calls });
export const stop = delta({}, 'stop');
export const called = delta({}, 'tool_calls');
export const done = 'data: [DONE]\n\n';

/** A platform that streams exactly the bytes that a test sets. */
export interface EventServer extends Loopback {
	/** The response: what is written, and how it ends. */
	say: { pieces: Pieces; contentType?: string; ending?: (response: ServerResponse) => void };
	/** Streams these pieces to a chat model, and returns what the model made of them. */
	read: (...pieces: Pieces) => ReturnType<typeof readAt>;
}

/** An event server for each test, in place of the emulator. */
export function useEventServer(platform = usePlatform()): EventServer {
	const server = {} as EventServer;
	beforeEach(async () => void Object.assign(server, await startEventServer(platform)));
	afterEach(async () => await server.stop());
	return server;
}

async function startEventServer(platform: Platform): Promise<EventServer> {
	const say: EventServer['say'] = { pieces: [] };
	const server = await loopback((_, response) => {
		response.writeHead(200, { 'content-type': say.contentType ?? 'text/event-stream' });
		void write(response, say);
	});
	Object.assign(platform.credential, { baseUrl: server.url });
	return { ...server, say, read: async (...pieces) => await readAt(platform, say, pieces) };
}

async function write(response: ServerResponse, { pieces, ending }: EventServer['say']) {
	for (const piece of pieces) {
		response.write(piece);
		await nextTurn();
	}
	if (ending) ending(response);
	else response.end();
}

async function readAt(platform: Platform, say: EventServer['say'], pieces: Pieces) {
	say.pieces = pieces;
	const { value, error } = await think(platform, async (model) => await piecesOf(model, 'Hi'), {
		options: { maxRetries: 0, timeout: 2 },
	});
	const texts = (value ?? []).map(({ text }) => text).filter(Boolean);
	return { error, texts, answer: value && joined(value) };
}
