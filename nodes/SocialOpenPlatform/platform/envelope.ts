import { z } from 'zod/v4';
import { isJsonObject, isTooComplex, parseJson, TOO_COMPLEX, withoutByteOrderMark } from './json';

/**
 * The schema of a code. A code of an unexpected type is also read, because a refusal must not be
 * missed only because of its code.
 */
export const code = z.union([
	z.int(),
	// Maximum length of a number in text. A longer number would lose digits.
	z
		.string()
		.regex(/^\d{1,15}$/)
		.transform(Number),
	z.string().min(1),
]);
const text = z.union([z.string(), z.number().transform(String)]);

/**
 * The schema of the business envelope (platform interface, "Business response envelope"). Unknown
 * fields are kept. Only `success` is required: other fields with a wrong type are left out.
 */
const envelopeSchema = z.looseObject({
	requestId: text.nullish().catch(undefined),
	success: z.boolean(),
	message: text.nullish().catch(undefined),
	/** The business code, which is not the HTTP status. A refusal may have no code. */
	code: code.nullish().catch(undefined),
	data: z.unknown().optional(),
});
export type Envelope = z.infer<typeof envelopeSchema>;

/**
 * What the body of a response says: accepted, refused, or something that the interface does not
 * describe.
 */
export type BodyReading<T> =
	| { kind: 'accepted'; value: T }
	| { kind: 'refused'; envelope: RefusalEnvelope }
	/** `reportsSuccess` is set if the body reports success but contradicts itself. */
	| { kind: 'unreadable'; reason: string; reportsSuccess?: boolean };

/** The fields of a refusal. */
export type RefusalEnvelope = Pick<Envelope, 'message' | 'code' | 'requestId'>;

const SUCCESS_CODE = 200;

/** Maximum length of a code that is not a number. */
export const MAX_CODE = 64;

/**
 * Reads a response body. Both `success` and `code` are checked (platform interface, "Errors"):
 * `success: false` is a refusal, whatever the code is. A refusal with an action, and `success: true`
 * with a code other than 200, contradict themselves. They are treated as unreadable, because the
 * request may or may not have taken effect.
 *
 * @param body the unchanged text of the response
 */
export function readEnvelope(body: string): BodyReading<Envelope> {
	const json = jsonOf(body);
	if (json === undefined) return { kind: 'unreadable', reason: describeText(body) };
	const parsed = envelopeSchema.safeParse(json);
	const hasAction = isJsonObject(json) && isJsonObject(json.data) && json.data.action_sn;
	if (hasAction && !parsed.data?.success) {
		return {
			kind: 'unreadable',
			reason: 'JSON with an action_sn, but without success',
			reportsSuccess: true,
		};
	}
	if (!parsed.success) {
		const { success } = Object(json) as { success?: unknown };
		return {
			kind: 'unreadable',
			reason: 'JSON without the expected fields success, code and data',
			reportsSuccess: success === 1 || /^(true|1)$/i.test(String(success)),
		};
	}
	const envelope = parsed.data;
	if (!envelope.success) return { kind: 'refused', envelope };
	if (envelope.code !== SUCCESS_CODE) {
		const code = String(envelope.code ?? 'none').slice(0, MAX_CODE);
		const reason = `success is true but the code is ${code} instead of 200`;
		return { kind: 'unreadable', reason, reportsSuccess: true };
	}
	return { kind: 'accepted', value: envelope };
}

/** A message, or FastAPI's list of the fields that are not valid. */
const messageText = z.union([
	text,
	z
		.array(z.object({ loc: z.array(text), msg: z.string() }))
		.transform((issues) => issues.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ')),
]);

/**
 * Reads a refusal from JSON that is not the business envelope. Its message and code are at the top
 * level or under `error`, as in the responses of gateways in front of the platform.
 *
 * @returns undefined if there is neither a message nor a code
 */
export function readOtherRefusal(body: string): RefusalEnvelope | undefined {
	const json = jsonOf(body);
	if (!isJsonObject(json)) return undefined;
	const fields: Record<string, unknown> = { ...(isJsonObject(json.error) && json.error), ...json };
	const message = ['message', 'msg', 'error', 'detail']
		.map((name) => messageText.safeParse(fields[name]).data)
		.find((value) => value?.trim());
	const { data: knownCode } = code.safeParse(fields.code);
	if (message === undefined && knownCode === undefined) return undefined;
	const { data: requestId } = text.safeParse(fields.requestId ?? fields.request_id);
	return { message, code: knownCode, requestId };
}

/**
 * Parses the JSON of a body.
 *
 * @returns undefined if the body is not JSON, or has too many values or levels
 */
export function jsonOf(body: string): unknown {
	if (isTooComplex(body)) return undefined;
	try {
		return parseJson(withoutByteOrderMark(body));
	} catch {
		return undefined;
	}
}

/** Describes a body without usable JSON, as a noun phrase for messages. */
export function describeText(body: string): string {
	if (isTooComplex(body)) return `JSON that ${TOO_COMPLEX}`;
	if (body.trim() === '') return 'an empty response';
	if (/^\s*</.test(body)) return 'an HTML page instead of JSON';
	return /^\s*[[{"]/.test(body) ? 'JSON that is cut off or damaged' : 'text that is not JSON';
}
