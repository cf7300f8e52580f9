import { measureJson, parseJson, withoutByteOrderMark } from '../json';
import type { SignatureRecipe } from './recipe';
import { formOf } from './sortedFields';

/** Room for a thousand events of a kilobyte each; a status is smaller. */
const MAX_BYTES = 1024 * 1024;

/** Room for a thousand events of thirty fields each. */
const MAX_VALUES = 30_000;

const MAX_DEPTH = 32;

/** A delivery as it was received, and how to verify it. */
export interface ReceivedDelivery {
	/** The names can be in any case. */
	headers: Record<string, string | string[] | undefined>;
	/** The bytes of the body, before anything has parsed them. */
	rawBody: Buffer;
	appSecret: string;
	recipe: SignatureRecipe;
	now: Date;
}

/** Why a delivery is refused. Only the last two can occur after its signature was verified. */
export type RejectionReason =
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
 * The delivery is refused. `reason` is for programs, the message is a sentence for people. Neither
 * contains any part of the secret, the signature or the body.
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

/** The value of a header. Node joins several headers of one name in the same way. */
export function headerOf({ headers }: ReceivedDelivery, name: string): string | undefined {
	const wanted = name.toLowerCase();
	const values = Object.entries(headers).flatMap(([key, value]) =>
		key.toLowerCase() === wanted ? (value ?? []) : [],
	);
	return values.length === 0 ? undefined : values.join(', ');
}

/**
 * The body of a delivery. Anyone can send one, so its bounds are checked before anything parses it,
 * and it is parsed only once, however often it is verified.
 */
export class WebhookBody {
	private parsed?: { json: unknown };
	private form?: { fields: ReturnType<typeof formOf> };

	/** @throws WebhookRejected when the body exceeds the bounds */
	constructor(private readonly bytes: Buffer) {
		const excess = excessOf(bytes);
		if (excess !== undefined) throw new WebhookRejected('too-large', excess);
	}

	/** The parsed body, or undefined when it is not JSON. */
	get json(): unknown {
		this.parsed ??= { json: this.parse() };
		return this.parsed.json;
	}

	/** What the Sorted Fields recipe signs, or undefined when the body has no such form. */
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

/** The bound that a body exceeds, as a sentence. */
function excessOf(bytes: Buffer): string | undefined {
	if (bytes.length > MAX_BYTES) return 'The body is larger than 1 MB.';
	const { values, depth } = measureJson(bytes.toString('latin1'));
	if (depth > MAX_DEPTH) return `The body is nested more than ${MAX_DEPTH} levels deep.`;
	return values > MAX_VALUES ? 'The body contains more than 30,000 values.' : undefined;
}
