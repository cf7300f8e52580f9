import { z } from 'zod/v4';
import { meaningOf, type Answer, type CodeReader, type HttpAnswer } from './answer';
import type { ChatJson } from './chat';
import { readingOf, type CodeReading } from './codes';
import {
	code,
	describeText,
	jsonOf,
	readEnvelope,
	type BodyReading,
	type RefusalEnvelope,
} from './envelope';

/** The operations, and the list that an answer of theirs holds. */
const lists = { chatCompletions: 'choices', responses: 'output' } as const;
export type ChatOperation = keyof typeof lists;

const object = z.record(z.string(), z.unknown());

/** How the public interfaces write a refusal; some say it in a word. */
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

/** What an error says of itself, wherever it comes. */
export function refusalIn(json: unknown): RefusalEnvelope | undefined {
	const refused = refusal.safeParse(json).data?.error;
	return refused && { message: refused.message, code: refused.code ?? refused.type ?? undefined };
}

/** Reads a body: the answer itself, the same inside the business envelope, or a refusal of either kind. */
function readBody(body: string, operation: ChatOperation): BodyReading<ChatJson> {
	const json = jsonOf(body);
	const fields = object.safeParse(json).data;
	const list = lists[operation];
	const refused = refusalIn(json);
	// Beside an answer, an error that says nothing is none.
	if (refused && (refused.message || refused.code || !Array.isArray(fields?.[list]))) {
		return { kind: 'refused', envelope: refused };
	}
	if (Array.isArray(fields?.[list])) return { kind: 'accepted', value: fields };
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

const secretRefused: CodeReading = {
	reading: 'the App Secret was not accepted',
	advice:
		'Check App Secret, Chat Secret Header and Chat Secret Prefix in the credential: chat operations send the secret itself, and no access token.',
};
const noModel: CodeReading = {
	reading: 'there is no such model, or no chat at this address',
	advice: "Check 'Model', and the Base URL in the credential.",
};

/** Codes that are about tokens and signatures elsewhere: here they can only mean the secret. */
const isAboutSecret = (code: unknown) =>
	typeof code === 'number' && (code === 1001 || (code >= 10101 && code <= 10108));

/** What a code means where no token is sent, and a model is asked for by name. */
const readCode: CodeReader = (code, status, message) => {
	if (status === 401 || isAboutSecret(code)) return secretRefused;
	if (status === 404 || code === 'model_not_found') return noModel;
	return readingOf(code, status, message);
};

/**
 * Tells what the answer to a chat request means.
 *
 * @param secrets taken out of all that the answer says
 */
export function readChatAnswer(
	operation: ChatOperation,
	answer: HttpAnswer,
	secrets: readonly string[],
): Answer<ChatJson> {
	return meaningOf(answer, (body) => readBody(body, operation), secrets, readCode);
}
