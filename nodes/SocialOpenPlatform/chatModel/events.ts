import { DONE } from '../protocol/chatStream';
import { parseJson } from '../protocol/json';
import { redact } from '../protocol/redact';
import type { ByteStream } from '../transport/reception';
import { within } from '../transport/within';
import type { Asker } from './asker';
import type { Sdk } from './sdk';

const MAX_QUOTED = 300;

/** The platform's own words for why it cannot go on. */
function wordsOf(error: unknown): string {
	const { message } = (typeof error === 'object' ? error : { message: error }) as {
		message?: unknown;
	};
	return typeof message === 'string' ? `“${message.slice(0, MAX_QUOTED)}”` : 'no reason given';
}

/**
 * The JSON of each event of a stream, secrets taken out. The connection is let go of at the end,
 * whoever makes it.
 *
 * @returns `[DONE]` where the platform said so
 * @throws NodeApiError when the stream breaks off, says that it cannot go on, or no piece comes in time
 */
export async function* eventsOf(
	asker: Asker,
	sdk: Sdk,
	pieces: ByteStream,
): AsyncGenerator<unknown, string | undefined> {
	const bytes = pieces[Symbol.asyncIterator]() as AsyncIterableIterator<Uint8Array>;
	const events = sdk.parseSSEStream(bytes)[Symbol.asyncIterator]();
	try {
		for (;;) {
			const event = await within(asker.timeout, events.next()).catch((error: Error) => {
				const isLate = error.message.startsWith('timeout');
				throw asker.unanswered(
					isLate ? 'no further piece of it came in time' : 'the answer was cut off in the middle',
				);
			});
			if (event.done) return undefined;
			const { data } = event.value;
			if (data === DONE) return DONE;
			if (data !== undefined) yield jsonOf(asker, data);
		}
	} finally {
		pieces.destroy();
	}
}

function jsonOf(asker: Asker, data: string): unknown {
	const json = redact(parsed(data), asker.secrets) as { error?: unknown } | null | undefined;
	if (typeof json !== 'object' || json === null || Array.isArray(json)) {
		throw asker.unanswered('a piece of the answer is no JSON object');
	}
	if (json.error) throw asker.unanswered(`the platform broke it off: ${wordsOf(json.error)}`);
	return json;
}

function parsed(data: string): unknown {
	try {
		return parseJson(data);
	} catch {
		return undefined;
	}
}
