import type { ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loopback, type Loopback } from '../../loopback';
import { usePlatform, type Platform } from './platform';
import { joined, piecesOf, runWithModel } from './modelTask';

export type Pieces = Array<string | Uint8Array>;

/** Returns one event of a stream. */
export const event = (data: unknown, name?: string) =>
	`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`;

/** Returns an event that adds a piece to the first choice, or ends it with a finish reason. */
export const delta = (one: object, finish_reason: string | null = null) =>
	event({ id: 'c1', model: 'm', choices: [{ index: 0, delta: one, finish_reason }] });
export const calling = (...tool_calls: unknown[]) => delta({ tool_calls });
export const stop = delta({}, 'stop');
export const called = delta({}, 'tool_calls');
export const done = 'data: [DONE]\n\n';

/** A server that streams exactly the bytes that a test sets. */
export interface EventServer extends Loopback {
	/** The content of the response, and a function that ends it. */
	response: { pieces: Pieces; contentType?: string; ending?: (response: ServerResponse) => void };
	/** Streams these pieces to a chat model and returns the model's output. */
	read: (...pieces: Pieces) => ReturnType<typeof readAt>;
}

/** Starts an event server for each test and uses it instead of the emulator. */
export function useEventServer(platform = usePlatform()): EventServer {
	const server = {} as EventServer;
	beforeEach(async () => void Object.assign(server, await startEventServer(platform)));
	afterEach(async () => await server.stop());
	return server;
}

async function startEventServer(platform: Platform): Promise<EventServer> {
	const streamed: EventServer['response'] = { pieces: [] };
	const server = await loopback((_, response) => {
		response.writeHead(200, { 'content-type': streamed.contentType ?? 'text/event-stream' });
		void write(response, streamed);
	});
	Object.assign(platform.credential, { baseUrl: server.url });
	return {
		...server,
		response: streamed,
		read: async (...pieces) => await readAt(platform, streamed, pieces),
	};
}

async function write(response: ServerResponse, { pieces, ending }: EventServer['response']) {
	for (const piece of pieces) {
		response.write(piece);
		await nextTurn();
	}
	if (ending) ending(response);
	else response.end();
}

async function readAt(platform: Platform, streamed: EventServer['response'], pieces: Pieces) {
	streamed.pieces = pieces;
	const { value, error } = await runWithModel(
		platform,
		async (model) => await piecesOf(model, 'Hi'),
		{
			options: { maxRetries: 0, timeout: 30 },
		},
	);
	const texts = (value ?? []).map(({ text }) => text).filter(Boolean);
	return { error, texts, answer: value && joined(value) };
}
