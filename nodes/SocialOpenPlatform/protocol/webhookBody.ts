import { callbackFields } from './callbackFields';
import { parseJson, withoutByteOrderMark } from './json';
import { WebhookRejected } from './webhookRejected';

/** Room for a thousand events of a kilobyte each; a status is smaller. */
const MAX_BYTES = 1024 * 1024;

/** Room for a thousand events of thirty fields each. */
const MAX_VALUES = 30_000;

const MAX_DEPTH = 32;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = [0x5b, 0x7b];
const CLOSING = [0x5d, 0x7d];

/** Which of the bounds a body exceeds, as a sentence. One pass over the bytes; nothing is parsed. */
function excessOf(bytes: Buffer): string | undefined {
	if (bytes.length > MAX_BYTES) return 'The body is larger than 1 MB.';
	let values = 1;
	let depth = 0;
	let inString = false;
	for (let at = 0; at < bytes.length; at++) {
		const byte = bytes[at]!;
		if (byte === QUOTE) inString = !inString;
		else if (inString) at += byte === BACKSLASH ? 1 : 0;
		else if (byte === COMMA) values++;
		else if (CLOSING.includes(byte)) depth--;
		else if (OPENING.includes(byte)) {
			values++;
			if (++depth > MAX_DEPTH) return `The body is nested more than ${MAX_DEPTH} levels deep.`;
		}
	}
	return values > MAX_VALUES ? 'The body holds more than 30,000 values.' : undefined;
}

/**
 * The body of a delivery. It is within bounds, whatever the recipe, before anything parses it, and is
 * parsed once however often it is judged: anyone can send one.
 */
export class WebhookBody {
	private parsed?: { json: unknown };
	private form?: { fields: ReturnType<typeof callbackFields> };

	/** @throws WebhookRejected when the body is beyond the bounds */
	constructor(private readonly bytes: Buffer) {
		const excess = excessOf(bytes);
		if (excess !== undefined) throw new WebhookRejected('too-large', excess);
	}

	/** What the body says; undefined, which JSON cannot say, when it is not JSON. */
	get json(): unknown {
		this.parsed ??= { json: this.parse() };
		return this.parsed.json;
	}

	/** What the Sorted Fields recipe signs; undefined when the body has no such form. */
	fields(appSecret: string): string | undefined {
		this.form ??= { fields: callbackFields(this.json) };
		return this.form.fields?.(appSecret);
	}

	private parse(): unknown {
		try {
			return parseJson(withoutByteOrderMark(this.bytes.toString('utf8')));
		} catch {
			return undefined;
		}
	}
}
