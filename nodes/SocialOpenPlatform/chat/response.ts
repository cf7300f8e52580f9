import type { ReadingAdapter } from '../platform/codes';
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
	outcomeOf(response, request, readBody, adaptToChat);

/**
 * Reads a response, a response inside the business envelope, or a refusal in either format.
 */
function readBody(json: ChatJson): BodyReading<ChatJson> {
	const { error } = json;
	const replies = repliesIn(json);
	const { message, code } = refusalIn({ error });
	const hasError = isJsonObject(error) || typeof error === 'string';
	// Some platforms send an empty `error` field in every response.
	if (hasError && (message || code || !replies)) return {};
	if (replies?.length) return { value: json, reportsSuccess: true };
	const { value, ...read } = 'success' in json ? readEnvelope(json) : {};
	if ('success' in json && !value) return read;
	const inside = fieldsOf(value?.data);
	if (repliesIn(inside)?.length) return { value: inside, reportsSuccess: true };
	return { flaw: 'JSON without the expected field choices or output' };
}

/** Finds the list of replies in a response of either operation. */
function repliesIn({ success, choices, output }: ChatJson): unknown[] | undefined {
	return success === false ? undefined : [choices, output].find(Array.isArray);
}

/**
 * Some refusals have another meaning for chat requests, because these have a model and no token. A
 * refused token or signature must be the App Secret.
 */
const adaptToChat: ReadingAdapter = ({ status, code }, usual) => {
	if (usual.cause === 'credential-invalid') {
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
	return usual;
};
