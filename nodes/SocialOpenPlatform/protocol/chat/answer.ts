import { z } from 'zod/v4';
import { meaningOf, type Answer, type CodeReader, type HttpAnswer } from '../answer';
import { readingOf, type CodeReading } from '../codes';
import {
	code,
	describeText,
	jsonOf,
	readEnvelope,
	type BodyReading,
	type RefusalEnvelope,
} from '../envelope';
import type { ChatJson } from './reply';

/** The chat operations, and the name of the list that the response to each of them contains. */
const lists = { chatCompletions: 'choices', responses: 'output' } as const;
export type ChatOperation = keyof typeof lists;

const secretRefused: CodeReading = {
	reading: 'the App Secret was not accepted',
	cause: 'credential-invalid',
	advice:
		'Check App Secret and, under Show Advanced Settings, Chat Secret Header and Chat Secret Prefix in the credential. Chat operations send the App Secret instead of an access token.',
};
const noModel: CodeReading = {
	reading: 'there is no such model, or no chat endpoint at this address',
	cause: 'configuration-invalid',
	advice: "Check 'Model', and the Base URL in the credential.",
};

const object = z.record(z.string(), z.unknown());

/**
 * A refusal in the format of the public interfaces. Some platforms send text instead of an object.
 */
const refusal = z.looseObject({
	error: z.union([
		z.string().transform((message) => ({ message, code: undefined, type: undefined })),
		z.looseObject({
			message: z.string().optional().catch(undefined),
			code: code.nullish().catch(undefined),
			type: z.string().nullish().catch(undefined),
		}),
	]),
});

/**
 * Reads the response to a chat request.
 *
 * @param secrets secrets to redact in the result
 */
export function readChatAnswer(
	operation: ChatOperation,
	answer: HttpAnswer,
	secrets: readonly string[],
): Answer<ChatJson> {
	return meaningOf(answer, (body) => readBody(body, operation), secrets, readCode);
}

/** Reads the field `error` of a response, or of an event in a stream. */
export function refusalIn(json: unknown): RefusalEnvelope | undefined {
	if (typeof json !== 'object' || json === null || !('error' in json)) return undefined;
	const refused = refusal.safeParse(json).data?.error;
	return refused && { message: refused.message, code: refused.code ?? refused.type ?? undefined };
}

/**
 * Reads a body: a response, a response inside the business envelope, or a refusal in either format.
 */
function readBody(body: string, operation: ChatOperation): BodyReading<ChatJson> {
	const json = jsonOf(body);
	const fields = object.safeParse(json).data;
	const list = lists[operation];
	const refused = refusalIn(json);
	// Some platforms send an empty `error` field in every response.
	if (refused && (refused.message || refused.code || !Array.isArray(fields?.[list]))) {
		return { kind: 'refused', envelope: refused };
	}
	const isReply = Array.isArray(fields?.[list]) && fields.success !== false;
	if (isReply) return { kind: 'accepted', value: fields };
	if (!fields || !('success' in fields)) {
		const reason = fields ? `JSON without the expected field ${list}` : describeText(body);
		return { kind: 'unreadable', reason };
	}
	const read = readEnvelope(body);
	if (read.kind !== 'accepted') return read;
	const data = object.safeParse(read.value.data).data;
	return Array.isArray(data?.[list])
		? { kind: 'accepted', value: data }
		: { kind: 'unreadable', reason: `JSON without the expected field ${list}` };
}

/**
 * Explains a code. Some codes have another meaning for chat requests, because these have a model
 * and no token.
 */
const readCode: CodeReader = (code, status, message) => {
	if (status === 401 || isAboutSecret(code)) return secretRefused;
	if (status === 404 || code === 'model_not_found') return noModel;
	return readingOf(code, status, message);
};

/**
 * Whether a code is about tokens or signatures. For a chat request, it must be about the App
 * Secret.
 */
function isAboutSecret(code: unknown): boolean {
	return typeof code === 'number' && (code === 1001 || (code >= 10101 && code <= 10108));
}
