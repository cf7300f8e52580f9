import fc from 'fast-check';
import { readAnswer } from '../../nodes/SocialOpenPlatform/protocol/answer';
import {
	readCompletion,
	readResponse,
	whyIncomplete,
	type ChatJson,
} from '../../nodes/SocialOpenPlatform/protocol/chat/reply';
import { readChatAnswer } from '../../nodes/SocialOpenPlatform/protocol/chat/answer';
import { CompletionStream } from '../../nodes/SocialOpenPlatform/protocol/chat/stream';
import { readPostAnswer } from '../../nodes/SocialOpenPlatform/protocol/post';
import { isRateLimited, readRetryAfter } from '../../nodes/SocialOpenPlatform/protocol/rateLimit';
import { findAccessToken } from '../../nodes/SocialOpenPlatform/protocol/token';
import { flawOf, resultOf } from '../../nodes/SocialOpenPlatform/chatModel/result';
import { deepJson, expectNoSecret, SECRET, swiftly, texts, TOKEN } from './hostileMatter';
import { spoiledJson } from './spoiledJson';

const secrets = [SECRET, TOKEN, ''];
/** One status of each kind. */
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
		const answer = {
			status,
			body,
			location: `https://x/?${SECRET}`,
			retryAfter: body.slice(0, 99),
		};
		const read = [
			readAnswer(answer, secrets),
			readPostAnswer(answer, secrets),
			readChatAnswer('chatCompletions', answer, secrets),
			readChatAnswer('responses', answer, secrets),
		] as const;
		for (const one of read) {
			expectNoSecret(one);
			if (one.kind === 'refused') isRateLimited(one, new Set([429]));
		}
		const [token, , whole, items] = read;
		if (token.kind === 'accepted') findAccessToken((token.value as { data: unknown }).data);
		for (const one of [whole, items]) if (one.kind === 'accepted') readChat(one.value);
	}
	readRetryAfter(body, new Date(0));
}

/** Reads the response of a chat to the end. */
function readChat(json: ChatJson): void {
	const stream = new CompletionStream();
	stream.add(json);
	for (const reply of [readCompletion(json), readResponse(json), stream.reply]) {
		expect(typeof reply.text).toBe('string');
		whyIncomplete(reply);
		flawOf(reply);
		resultOf(reply);
	}
}

describe('A hostile response', () => {
	test('is read quickly and shows no secret', () => {
		fc.assert(
			fc.property(spoiledJson(objects), (json) => swiftly(() => readAll(JSON.stringify(json)))),
			{ numRuns: 300 },
		);
	});

	test('is read when it is not JSON or not text', () => {
		for (const text of texts) swiftly(() => readAll(text, [200, 401]));
	});

	test.each([
		['lists', deepJson(20_000)],
		['objects', deepJson(20_000, '{"data":', '}').replace('}', '1}')],
		['lists in data', `{"success":true,"code":200,"data":${deepJson(20_000)}}`],
		['lists in choices', `{"choices":${deepJson(20_000)}}`],
		['objects in a refusal', `{"error":${deepJson(9_000, '{"error":', '}').replace('}', '1}')}}`],
		['very many objects', `{"success":true,"code":200,"data":[${'{},'.repeat(1e5)}{}]}`],
		['a number without end', `{"success":true,"code":200,"data":${'9'.repeat(2e5)}}`],
		['digits in a text', `{"success":true,"code":200,"data":"${'9'.repeat(2e5)}"}`],
	])('is read when it is %s', (_, body) => {
		swiftly(() => readAll(body, [200]), 5_000);
	});

	test('is read when its fields have names such as __proto__', () => {
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

	test('is read quickly when a searched field is very long', () => {
		for (const text of texts) {
			const said = JSON.stringify(text);
			const bodies = [
				`{"success":false,"message":${said},"code":${said},"requestId":${said}}`,
				`{"error":{"message":${said},"code":${said}}}`,
				`{"choices":[{"finish_reason":${said},"message":{"content":${said}}}]}`,
			];
			for (const body of bodies) swiftly(() => readAll(body, [200]));
		}
	});
});
