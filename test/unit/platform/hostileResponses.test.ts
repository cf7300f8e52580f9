import fc from 'fast-check';
import {
	readChatResponse,
	readReply,
	whyIncomplete,
} from '../../../nodes/SocialOpenPlatform/chat/response';
import { secretsIn } from '../../../nodes/SocialOpenPlatform/platform/json';
import { readBusinessResponse } from '../../../nodes/SocialOpenPlatform/platform/response';
import { findAccessToken, NoAccessToken } from '../../../nodes/SocialOpenPlatform/platform/token';
import { readPostResponse } from '../../../nodes/SocialOpenPlatform/post/create.operation';
import { deepJson, expectNoSecret, SECRET, withinTimeLimit, texts, TOKEN } from '../hostileValues';
import { damagedJson } from './damagedJson';
import { sentPost } from './sentRequest';

const request = { ...sentPost, secrets: secretsIn(SECRET, TOKEN, '') };
/** One HTTP status for each way in which a response is read. */
const statuses = [200, 307, 401, 429, 500];

/** Valid responses, which the tests damage. */
const envelope = {
	...{ requestId: 'r1', success: true, message: `done ${SECRET}`, code: 200 },
	data: { action_sn: 'SA1', access_token: TOKEN, nested: [{ [SECRET]: TOKEN }] },
};
const call = { id: 'c1', index: 0, function: { name: 'f', arguments: `{"a":"${TOKEN}"}` } };
const message = { content: [{ type: 'text', text: SECRET }], refusal: null, tool_calls: [call] };
const completion = { id: 'c', model: 'm', choices: [{ finish_reason: 'stop', message }] };
const response = {
	...{ id: 'r', model: 'm', status: 'completed', incomplete_details: { reason: 'x' } },
	output: [{ type: 'message', content: [{ type: 'output_text', text: SECRET }] }],
};
const objects = [
	...[envelope, { ...envelope, success: false, code: 10104 }, completion, response],
	...[{ error: { message: `no ${SECRET}`, type: 't', code: 'c' } }],
	{ ...envelope, data: completion },
];

/** Reads a body as every operation does. */
function readAll(body: string, among = statuses): void {
	for (const status of among) {
		const location = `https://x/?${SECRET}`;
		const complete = { status, body, location, retryAfter: body.slice(0, 99) };
		const token = readBusinessResponse(complete, request);
		const chat = readChatResponse(complete, request);
		for (const read of [token, chat, readPostResponse(complete, request)]) {
			expectNoSecret(read);
			if (read.kind === 'accepted') expect(status).toBe(200);
			else if (!body.includes('undefined'))
				expect(read.failure.message).not.toMatch(/undefined|\[object/);
		}
		if (token.kind === 'accepted') readToken(token.value.data);
		if (chat.kind === 'accepted') whyIncomplete(readReply(chat.value));
	}
}

/** Reads the token of a response, which may contain none. */
function readToken(data: unknown): void {
	try {
		findAccessToken(data);
	} catch (error) {
		if (!(error instanceof NoAccessToken)) throw error;
	}
}

describe('Hostile responses', () => {
	test('are read quickly and show no secret', () => {
		fc.assert(
			fc.property(damagedJson(objects), (json) =>
				withinTimeLimit(() => readAll(JSON.stringify(json))),
			),
			{ numRuns: 50 },
		);
	});

	test('are read quickly when they are no JSON, or a field that is searched is very long', () => {
		for (const text of texts) {
			const quoted = JSON.stringify(text);
			const bodies = [
				...[text, `{"success":false,"message":${quoted},"code":${quoted},"requestId":${quoted}}`],
				...[`{"error":{"message":${quoted},"code":${quoted}}}`],
				`{"choices":[{"finish_reason":${quoted},"message":{"content":${quoted}}}]}`,
			];
			for (const body of bodies) withinTimeLimit(() => readAll(body, [200, 401]));
		}
	});

	test.each([
		['deeply nested lists', deepJson(20_000)],
		['deeply nested objects', deepJson(20_000, '{"data":', '}').replace('}', '1}')],
		['deeply nested lists in choices', `{"choices":${deepJson(20_000)}}`],
		['deeply nested errors', deepJson(9_000, '{"error":', '}').replace('}', '1}')],
		['a list of many objects', `{"success":true,"code":200,"data":[${'{},'.repeat(1e5)}{}]}`],
	])('are read when they contain %s', (_, body) => {
		withinTimeLimit(() => readAll(body, [200]), 5_000);
	});
});
