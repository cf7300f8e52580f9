import { z } from 'zod/v4';
import { parseJson, withoutByteOrderMark } from './json';

/**
 * Only what decides is insisted on; a field of another type than the interface's is read if it can be
 * and left out if not, because the platform's clear word must not be lost over it.
 */
export const code = z.union([
	z.int(),
	z.string().regex(/^\d+$/).transform(Number),
	z.string().min(1),
]);
const text = z.union([z.string(), z.number().transform(String)]);

/** The business envelope (platform interface, "Business response envelope"); unknown fields stay. */
export const envelopeSchema = z.looseObject({
	requestId: text.nullish().catch(undefined),
	success: z.boolean(),
	message: text.nullish().catch(undefined),
	/** A business code, not the HTTP status. A refusal may come without one. */
	code: code.nullish().catch(undefined),
	data: z.unknown().optional(),
});
export type Envelope = z.infer<typeof envelopeSchema>;

/** What an answer's body says: done, refused, or nothing the interface describes. */
export type BodyReading<T> =
	| { kind: 'success'; value: T }
	| { kind: 'refusal'; envelope: RefusalEnvelope }
	| { kind: 'broken'; reason: string };

/** What a refusal may say of itself. */
export type RefusalEnvelope = Pick<Envelope, 'message' | 'code' | 'requestId'>;

const SUCCESS_CODE = 200;

/**
 * Reads a response body. Both `success` and `code` are checked (platform interface, "Errors"):
 * `success: false` is a refusal whatever the code, `success: true` with any code but 200 contradicts
 * itself and is broken, because nobody can tell whether the request took effect.
 *
 * @param body the response text, untouched
 */
export function readEnvelope(body: string): BodyReading<Envelope> {
	const json = jsonOf(body);
	if (json === undefined) return { kind: 'broken', reason: describeText(body) };
	const parsed = envelopeSchema.safeParse(json);
	if (!parsed.success) {
		return { kind: 'broken', reason: 'JSON without the expected fields success, code and data' };
	}
	const envelope = parsed.data;
	if (!envelope.success) return { kind: 'refusal', envelope };
	if (envelope.code !== SUCCESS_CODE) {
		const said = envelope.code ?? 'none';
		return { kind: 'broken', reason: `success is true but the code is ${said} instead of 200` };
	}
	return { kind: 'success', value: envelope };
}

/** The JSON of a body; undefined where it is none. */
export function jsonOf(body: string): unknown {
	try {
		return parseJson(withoutByteOrderMark(body));
	} catch {
		return undefined;
	}
}

/** What a body without usable JSON is, as the object of a sentence. */
export function describeText(body: string): string {
	if (body.trim() === '') return 'an empty answer';
	if (/^\s*</.test(body)) return 'an HTML page instead of JSON';
	return /^\s*[[{"]/.test(body) ? 'JSON that is cut off or damaged' : 'text that is not JSON';
}
