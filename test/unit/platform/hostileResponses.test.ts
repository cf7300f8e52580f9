import fc from 'fast-check';
import { readBusinessResponse } from '../../../nodes/SocialOpenPlatform/platform/response';
import {
	readReply,
	whyIncomplete,
	type ChatJson,
} from '../../../nodes/SocialOpenPlatform/chat/response';
import { readChatResponse } from '../../../nodes/SocialOpenPlatform/chat/response';
import { readPostResponse } from '../../../nodes/SocialOpenPlatform/post/send';
import { readRetryAfter } from '../../../nodes/SocialOpenPlatform/platform/codes';
import { findAccessToken, NoAccessToken } from '../../../nodes/SocialOpenPlatform/platform/token';
import { deepJson, expectNoSecret, SECRET, withinTimeLimit, texts, TOKEN } from '../hostileValues';
import { damagedJson } from './damagedJson';
import { sentPost } from './sentRequest';

const request = { ...sentPost, secrets: [SECRET, TOKEN, ''] };
/** One HTTP status for each way in which a response is read. */
const statuses = [200, 307, 401, 429, 500];

/** Valid responses, which the tests damage. */
const envelope = {
	requestId: 'r1',
	success: true,
	message: `done ${SECRET}`,
	code: 200,
	data: { action_sn: 'SA1', access_token: TOKEN, nested: [{ [SECRET]: TOKEN }] },
};
const call = { id: 'c1', index: 0, function: { name: 'f', arguments: `{"a":"${TOKEN}"}` } };
const completion = {
	...{ id: 'c', model: 'm', usage: { prompt_tokens: 1, total_tokens: 2 } },
	choices: [
		{
			finish_reason: 'stop',
			message: { content: [{ type: 'text', text: SECRET }], refusal: null, tool_calls: [call] },
			delta: { content: SECRET, refusal: TOKEN, tool_calls: [call] },
		},
	],
};
const response = {
	...{ id: 'r', model: 'm', status: 'completed', incomplete_details: { reason: 'x' } },
	output: [{ type: 'message', content: [{ type: 'output_text', text: SECRET }] }],
};
const refusal = { error: { message: `no ${SECRET}`, type: 't', code: 'c' } };
const refused = { ...envelope, success: false, code: 10104 };
const objects = [
	envelope,
	refused,
	completion,
	response,
	refusal,
	{ ...envelope, data: completion },
];

/** Reads a body as every operation does. */
function readAll(body: string, among = statuses): void {
	for (const status of among) {
		const complete = {
			status,
			body,
			location: `https://x/?${SECRET}`,
			retryAfter: body.slice(0, 99),
		};
		const read = [
			readBusinessResponse(complete, request),
			readPostResponse(complete, request),
			readChatResponse(complete, request),
		] as const;
		for (const one of read) expectNoSecret(one);
		const [token, , chat] = read;
		if (token.kind === 'accepted') readToken(token.value.data);
		if (chat.kind === 'accepted') readChat(chat.value);
	}
	readRetryAfter(body, new Date(0));
}

/** Reads the token of a response, which may contain none. */
function readToken(data: unknown): void {
	try {
		findAccessToken(data);
	} catch (error) {
		if (!(error instanceof NoAccessToken)) throw error;
	}
}

/** Reads the response of a chat to the end. */
function readChat(json: ChatJson): void {
	const reply = readReply(json);
	expect(typeof reply.text).toBe('string');
	whyIncomplete(reply);
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

	test('are read when they are not JSON', () => {
		for (const text of texts) withinTimeLimit(() => readAll(text, [200, 401]));
	});

	test.each([
		['deeply nested lists', deepJson(20_000)],
		['deeply nested objects', deepJson(20_000, '{"data":', '}').replace('}', '1}')],
		['deeply nested lists in data', `{"success":true,"code":200,"data":${deepJson(20_000)}}`],
		['deeply nested lists in choices', `{"choices":${deepJson(20_000)}}`],
		[
			'deeply nested objects in a refusal',
			`{"error":${deepJson(9_000, '{"error":', '}').replace('}', '1}')}}`,
		],
		['a list of many objects', `{"success":true,"code":200,"data":[${'{},'.repeat(1e5)}{}]}`],
		['a very long number', `{"success":true,"code":200,"data":${'9'.repeat(2e5)}}`],
		['a text of many digits', `{"success":true,"code":200,"data":"${'9'.repeat(2e5)}"}`],
	])('are read when they contain %s', (_, body) => {
		withinTimeLimit(() => readAll(body, [200]), 5_000);
	});

	test('are read when fields have names such as __proto__', () => {
		const names = ['__proto__', 'constructor', 'prototype', 'toString', 'then'];
		for (const name of names) {
			const trap = `"${name}":{"polluted":1,"message":"${SECRET}"}`;
			for (const body of [
				`{${trap}}`,
				`{${trap},"success":true,"code":200,"data":{${trap}}}`,
				`{${trap},"success":false,"code":"${name}","message":"${name}"}`,
				`{"error":{${trap},"code":"${name}","type":"${name}"}}`,
				`{${trap},"choices":[{${trap},"message":{${trap},"content":"a"}}],"usage":{${trap}}}`,
				`{"output":[{${trap},"type":"${name}"}],"id":"${name}"}`,
			]) {
				readAll(body);
			}
		}
	});

	test('are read quickly when a field that is searched is very long', () => {
		for (const text of texts) {
			const quoted = JSON.stringify(text);
			const bodies = [
				`{"success":false,"message":${quoted},"code":${quoted},"requestId":${quoted}}`,
				`{"error":{"message":${quoted},"code":${quoted}}}`,
				`{"choices":[{"finish_reason":${quoted},"message":{"content":${quoted}}}]}`,
			];
			for (const body of bodies) withinTimeLimit(() => readAll(body, [200]));
		}
	});
});
