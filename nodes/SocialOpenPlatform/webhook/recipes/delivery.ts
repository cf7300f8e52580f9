import { measureJson, parseJson, withoutByteOrderMark } from '../../platform/json';
import type { SignatureRecipe } from './recipe';

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
export function headerOf(
	{ headers }: Pick<ReceivedDelivery, 'headers'>,
	name: string,
): string | undefined {
	const wanted = name.toLowerCase();
	const values = Object.entries(headers).flatMap(([key, value]) =>
		key.toLowerCase() === wanted ? (value ?? []) : [],
	);
	return values.length === 0 ? undefined : values.join(', ');
}

/**
 * Checks the limits of a body. Anyone can send a delivery, so this happens before it is parsed.
 *
 * @throws WebhookRejected naming the limit that the body exceeds
 */
export function assertBounded(body: Buffer): void {
	const reject = (message: string): never => {
		throw new WebhookRejected('too-large', message);
	};
	if (body.length > MAX_BYTES) reject('The body is larger than 1 MB.');
	const { values, depth } = measureJson(body.toString('latin1'));
	if (depth > MAX_DEPTH) reject(`The body is nested more than ${MAX_DEPTH} levels deep.`);
	if (values > MAX_VALUES) reject('The body contains more than 30,000 values.');
}

/** Parses a body whose limits were checked. It is undefined if it is not JSON. */
export function parseBody(body: Buffer): unknown {
	try {
		return parseJson(withoutByteOrderMark(body.toString('utf8')));
	} catch {
		return undefined;
	}
}
