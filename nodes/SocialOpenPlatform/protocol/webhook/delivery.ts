import { measureJson, parseJson, withoutByteOrderMark } from '../json';
import type { SignatureRecipe } from './recipe';
import { formOf } from './sortedFields';

/**
 * Maximum size of a body. It has room for a thousand events of one kilobyte, and a status is
 * smaller.
 */
const MAX_BYTES = 1024 * 1024;

/** Maximum number of values in a body. It has room for a thousand events of thirty fields. */
const MAX_VALUES = 30_000;

const MAX_DEPTH = 32;

/** A delivery as it was received, and the data for its verification. */
export interface ReceivedDelivery {
	/** The names can be in upper or lower case. */
	headers: Record<string, string | string[] | undefined>;
	/** The bytes of the body, before they are parsed. */
	rawBody: Buffer;
	appSecret: string;
	recipe: SignatureRecipe;
	now: Date;
}

/**
 * The reasons for refusing a delivery. Only the last two can occur after the signature was
 * verified.
 */
type RejectionReason =
	| 'no-secret'
	| 'unusable-recipe'
	| 'no-body'
	| 'too-large'
	| 'missing-signature'
	| 'unreadable-signature'
	| 'missing-timestamp'
	| 'unreadable-timestamp'
	| 'stale-timestamp'
	| 'missing-id'
	| 'missing-nonce'
	| 'no-fields'
	| 'unsigned-fields'
	| 'wrong-signature'
	| 'not-json'
	| 'too-many-events';

/**
 * The error of a refused delivery. `reason` is for programs, and the message is a sentence for
 * people. Neither contains any part of the secret, the signature or the body.
 */
export class WebhookRejected extends Error {
	override name = 'WebhookRejected';

	constructor(
		readonly reason: RejectionReason,
		message: string,
	) {
		super(message);
	}

	/** Whether the signature is valid, so that the delivery certainly comes from the platform. */
	get isAuthentic(): boolean {
		return this.reason === 'not-json' || this.reason === 'too-many-events';
	}
}

/** The value of a header. Several headers with the same name are joined as in Node.js. */
export function headerOf({ headers }: ReceivedDelivery, name: string): string | undefined {
	const wanted = name.toLowerCase();
	const values = Object.entries(headers).flatMap(([key, value]) =>
		key.toLowerCase() === wanted ? (value ?? []) : [],
	);
	return values.length === 0 ? undefined : values.join(', ');
}

/**
 * The body of a delivery. Anyone can send a delivery, so the body's limits are checked before it is
 * parsed. It is parsed only once, even if the delivery is verified several times.
 */
export class WebhookBody {
	private parsed?: { json: unknown };
	private form?: { fields: ReturnType<typeof formOf> };

	/** @throws WebhookRejected if the body exceeds the limits */
	constructor(private readonly bytes: Buffer) {
		const excess = excessOf(bytes);
		if (excess !== undefined) throw new WebhookRejected('too-large', excess);
	}

	/** The parsed body, or undefined if it is not JSON. */
	get json(): unknown {
		this.parsed ??= { json: this.parse() };
		return this.parsed.json;
	}

	/**
	 * The text that the Sorted Fields method signs, or undefined if the body cannot be written in
	 * this form.
	 */
	fields(appSecret: string): string | undefined {
		this.form ??= { fields: formOf(this.json) };
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

/** A sentence that names the limit that a body exceeds. */
function excessOf(bytes: Buffer): string | undefined {
	if (bytes.length > MAX_BYTES) return 'The body is larger than 1 MB.';
	const { values, depth } = measureJson(bytes.toString('latin1'));
	if (depth > MAX_DEPTH) return `The body is nested more than ${MAX_DEPTH} levels deep.`;
	return values > MAX_VALUES ? 'The body contains more than 30,000 values.' : undefined;
}
