import type { CodeReading } from '../platform/codes';
import { isJsonObject, fieldsOf } from '../platform/json';
import {
	outcomeOf,
	readEnvelope,
	refusalIn,
	type BodyReading,
	type ResponseReader,
} from '../platform/response';
import type { ChatJson } from './reply';

/** Messages use this name for a single chat request. */
export const CHAT_REQUEST = 'the chat request';

/** Reads the response to a chat request. */
export const readChatResponse: ResponseReader<ChatJson> = (response, request) =>
	outcomeOf(response, request, readBody, explainChatCode);

/**
 * Reads a response, a response inside the business envelope, or a refusal in either format.
 */
function readBody(json: ChatJson): BodyReading<ChatJson> {
	const { error } = json;
	const replies = repliesIn(json);
	const refusal = refusalIn({ error });
	const hasError = isJsonObject(error) || typeof error === 'string';
	// Some platforms send an empty `error` field in every response.
	if (hasError && (refusal.message || refusal.code || !replies)) return { refusal };
	if (replies?.length) return { value: json };
	const read = 'success' in json ? readEnvelope(json) : undefined;
	if (read && !('value' in read)) return read;
	const inside = fieldsOf(read?.value.data);
	if (repliesIn(inside)?.length) return { value: inside };
	return { refusal: refusalIn(json), flaw: 'JSON without the expected field choices or output' };
}

/** Finds the list of replies in a response of either operation. */
function repliesIn({ success, choices, output }: ChatJson): unknown[] | undefined {
	return success === false ? undefined : [choices, output].find(Array.isArray);
}

/**
 * Explains the codes that have another meaning for chat requests, because these have a model and no
 * token.
 */
function explainChatCode(
	code: number | string | undefined,
	status: number,
): CodeReading | undefined {
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
	return undefined;
}
