import { z } from 'zod/v4';
import { parseJson, withoutByteOrderMark } from './json';

/**
 * Only what decides is insisted on; a field of another type than the interface's is read if it can be
 * and left out if not, because the platform's clear word must not be lost over it.
 */
export const code = z.union([
	z.int(),
	// Longer ones would lose digits.
	z
		.string()
		.regex(/^\d{1,15}$/)
		.transform(Number),
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
	| { kind: 'accepted'; value: T }
	| { kind: 'refused'; envelope: RefusalEnvelope }
	| { kind: 'unreadable'; reason: string };

/** What a refusal may say of itself. */
export type RefusalEnvelope = Pick<Envelope, 'message' | 'code' | 'requestId'>;

const SUCCESS_CODE = 200;

/** Of a code that is no number, in characters. */
const MAX_SAID = 64;

/**
 * Reads a response body. Both `success` and `code` are checked (platform interface, "Errors"):
 * `success: false` is a refusal whatever the code, `success: true` with any code but 200 contradicts
 * itself and is broken, because nobody can tell whether the request took effect.
 *
 * @param body the response text, untouched
 */
export function readEnvelope(body: string): BodyReading<Envelope> {
	const json = jsonOf(body);
	if (json === undefined) return { kind: 'unreadable', reason: describeText(body) };
	const parsed = envelopeSchema.safeParse(json);
	if (!parsed.success) {
		return {
			kind: 'unreadable',
			reason: 'JSON without the expected fields success, code and data',
		};
	}
	const envelope = parsed.data;
	if (!envelope.success) return { kind: 'refused', envelope };
	if (envelope.code !== SUCCESS_CODE) {
		const said = String(envelope.code ?? 'none').slice(0, MAX_SAID);
		return { kind: 'unreadable', reason: `success is true but the code is ${said} instead of 200` };
	}
	return { kind: 'accepted', value: envelope };
}

/** What a refusal may call its message, in the order in which they are looked for. */
const messageNames = ['message', 'msg', 'error_description', 'errorMessage', 'error', 'detail'];

/**
 * What JSON of another shape than the envelope says of a refusal, at its top or under `error`. Gateways
 * in front of the platform answer so.
 *
 * @returns undefined where it says nothing
 */
export function saidIn(body: string): RefusalEnvelope | undefined {
	const fields = z.looseObject({}).safeParse(jsonOf(body)).data;
	if (!fields) return undefined;
	const all = { ...z.looseObject({}).safeParse(fields.error).data, ...fields };
	const message = messageNames
		.map((name) => text.safeParse(all[name]).data)
		.find((said) => said?.trim());
	const said = {
		message,
		code: [all.code, all.errorCode, all.error_code]
			.map((value) => code.safeParse(value).data)
			.find((value) => value !== undefined),
		requestId: [all.requestId, all.request_id]
			.map((value) => text.safeParse(value).data)
			.find(Boolean),
	};
	return said.message === undefined && said.code === undefined ? undefined : said;
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
