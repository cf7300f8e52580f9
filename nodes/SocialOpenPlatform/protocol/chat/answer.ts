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
import { isJsonObject } from '../json';
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

const quotaUsedUp: CodeReading = {
	reading: 'the quota is used up',
	cause: 'configuration-invalid',
	advice: "Check quota and billing in the platform's console.",
};

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

/** Reads the field `error` of a response. */
function refusalIn(json: unknown): RefusalEnvelope | undefined {
	const refused = refusal.safeParse(json).data?.error;
	return refused && { message: refused.message, code: refused.code ?? refused.type ?? undefined };
}

/**
 * Reads a body: a response, a response inside the business envelope, or a refusal in either format.
 */
function readBody(body: string, operation: ChatOperation): BodyReading<ChatJson> {
	const list = lists[operation];
	const json = jsonOf(body);
	const reply = replyIn(json, list);
	const refused = refusalIn(json);
	const hasList = isJsonObject(json) && Array.isArray(json[list]);
	// Some platforms send an empty `error` field in every response.
	if (refused && (refused.message || refused.code || !hasList)) {
		return { kind: 'refused', envelope: refused };
	}
	if (reply) return { kind: 'accepted', value: reply };
	if (!isJsonObject(json)) return { kind: 'unreadable', reason: describeText(body) };
	const read = 'success' in json ? readEnvelope(body) : undefined;
	if (read && read.kind !== 'accepted') return read;
	const inside = replyIn(read?.value.data, list);
	if (inside) return { kind: 'accepted', value: inside };
	return { kind: 'unreadable', reason: `JSON without the expected field ${list}` };
}

/** JSON that contains a reply. */
function replyIn(json: unknown, list: string): ChatJson | undefined {
	if (!isJsonObject(json) || json.success === false) return undefined;
	const { [list]: replies } = json;
	return Array.isArray(replies) && replies.length > 0 ? json : undefined;
}

/**
 * Explains a code. Some codes have another meaning for chat requests, because these have a model
 * and no token.
 */
const readCode: CodeReader = (code, status, message) => {
	if (status === 401 || isAboutSecret(code)) return secretRefused;
	if (status === 404 || code === 'model_not_found') return noModel;
	return code === 'insufficient_quota' ? quotaUsedUp : readingOf(code, status, message);
};

/**
 * Whether a code is about tokens or signatures. For a chat request, it must be about the App
 * Secret.
 */
function isAboutSecret(code: unknown): boolean {
	return typeof code === 'number' && (code === 1001 || (code >= 10101 && code <= 10108));
}
