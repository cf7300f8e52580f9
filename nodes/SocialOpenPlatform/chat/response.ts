import {
	code,
	describeText,
	jsonOf,
	meaningOf,
	readEnvelope,
	type AnswerReader,
	type BodyReading,
	type CodeReader,
} from '../platform/response';
import { readingOf } from '../platform/codes';
import { fieldsOf, isJsonObject } from '../platform/json';
import { textOf, type ChatJson } from './reply';

/** Messages use this name for a single chat request. */
export const CHAT_REQUEST = 'the chat request';

/** Reads the response to a chat request. */
export const readChatAnswer: AnswerReader<ChatJson> = (answer, secrets) =>
	meaningOf(answer, readBody, secrets, readCode);

/**
 * Reads a response, a response inside the business envelope, or a refusal in either format.
 */
function readBody(body: string): BodyReading<ChatJson> {
	const json = jsonOf(body);
	const fields = fieldsOf(json);
	const replies = repliesIn(fields);
	const refused = refusalIn(fields);
	// Some platforms send an empty `error` field in every response.
	if (refused && (refused.message || refused.code || !replies)) return { refusal: refused };
	if (replies?.length) return { value: fields };
	if (!isJsonObject(json)) return { flaw: describeText(body) };
	const read = 'success' in json ? readEnvelope(body) : undefined;
	if (read && !('value' in read)) return read;
	const inside = read?.value.data;
	if (repliesIn(inside)?.length) return { value: fieldsOf(inside) };
	return { flaw: 'JSON without the expected field choices or output' };
}

/** Finds the list of replies in a response of either operation. */
function repliesIn(json: unknown): unknown[] | undefined {
	const { success, choices, output } = fieldsOf(json);
	return success === false ? undefined : [choices, output].find(Array.isArray);
}

/**
 * Reads the field `error` of the public interfaces. Some platforms send text instead of an object.
 */
function refusalIn({ error }: ChatJson) {
	if (typeof error === 'string') return { message: error };
	if (!isJsonObject(error)) return undefined;
	return { message: textOf(error.message), code: code.safeParse(error.code ?? error.type).data };
}

/**
 * Explains a code. Some codes have another meaning for chat requests, because these have a model
 * and no token.
 */
const readCode: CodeReader = (code, status, message) => {
	// A code about tokens or signatures must be about the App Secret.
	const isToken = typeof code === 'number' && (code === 1001 || (code >= 10101 && code <= 10108));
	if (status === 401 || isToken) {
		return {
			reading: 'the App Secret was not accepted',
			cause: 'credential-invalid',
			advice:
				'Check App Secret and, under Show Advanced Settings, Chat Secret Header and Chat Secret Prefix in the credential. Chat operations send the App Secret instead of an access token.',
		};
	}
	if (status === 404 || code === 'model_not_found') {
		return {
			reading: 'there is no such model, or no chat endpoint at this address',
			cause: 'configuration-invalid',
			advice: "Check 'Model', and the Base URL in the credential.",
		};
	}
	if (code === 'insufficient_quota') {
		return {
			reading: 'the quota is used up',
			cause: 'configuration-invalid',
			advice: "Check quota and billing in the platform's console.",
		};
	}
	return readingOf(code, status, message);
};
