import { readChatResponse } from '../../../nodes/SocialOpenPlatform/chat/response';
import { withinTimeLimit } from '../hostileValues';
import { readResponse } from '../platform/sentRequest';

const SECRET = 'the-secret-0123456789';
const completion = {
	id: 'c1',
	choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }],
};
const response = { id: 'r1', output: [{ type: 'message', content: [] }], error: null };

const read = (body: unknown, status = 200, more = {}) => {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	const request = { operation: 'chatCompletions', secrets: [SECRET] } as const;
	return readResponse(readChatResponse, { status, body: text, ...more }, request);
};
const enveloped = (data: unknown) => ({ requestId: 'q', success: true, code: 200, data });

describe('readChatResponse', () => {
	test.each([
		['chatCompletions', completion],
		['responses', response],
	] as const)('accepts a response of %s, with or without the business envelope', (_, body) => {
		for (const wrapped of [body, enveloped(body), { ...enveloped(body), code: '200' }]) {
			expect(read(wrapped)).toStrictEqual({
				kind: 'accepted',
				value: body,
			});
		}
	});

	test('keeps every digit of large numbers, and unknown fields', () => {
		const body = '{"choices":[{"x":9007199254740993}],"id":12345678901234567890,"new":{"a":[1]}}';
		expect(read(body)).toStrictEqual({
			kind: 'accepted',
			value: { choices: [{ x: '9007199254740993' }], id: '12345678901234567890', new: { a: [1] } },
		});
	});

	test('accepts a response with a result of 0', () => {
		const body = { ...completion, base_resp: { status_code: 0, status_msg: 'success' } };
		expect(read(body)).toStrictEqual({ kind: 'accepted', value: body });
	});

	test('refuses a hostile response of 4 MB in little time', () => {
		for (const piece of ['"a":{', '0,', '[']) {
			const body = `{${piece.repeat((4 * 2 ** 20) / piece.length)}`;
			withinTimeLimit(() => expect(read(body)).toMatchObject({ kind: 'unknown' }), 5_000);
		}
	});

	test.each([[{}], [''], [[]], [{ message: null, code: 0 }], [null]])(
		'accepts a response with an empty error: %j',
		(error) => {
			const body = { ...completion, error };
			expect(read(body)).toStrictEqual({ kind: 'accepted', value: body });
		},
	);
});

describe('readChatResponse: refusals', () => {
	const error = { message: 'no such model', type: 'invalid_request_error', param: 'model' };

	test.each([
		[{ error: { ...error, code: 'model_not_found' } }, 404, 'model_not_found'],
		[{ error: { ...error, code: null } }, 400, 'invalid_request_error'],
		[{ error: { ...error, code: 4711 } }, 400, 4711],
		[{ error: { message: 'no such model' } }, 400, undefined],
		[{ error: { ...error, code: { deep: 1 }, type: 7 } }, 400, undefined],
		[{ error: { ...error, code: '1302' } }, 400, 1302],
		[{ error: 'no such model' }, 400, undefined],
		[{ success: false, message: 'no such model', code: 2150 }, 200, 2150],
		[{ success: false, message: 'no such model' }, 400, undefined],
		[{ error: [{ ...error, code: 4711 }] }, 400, 4711],
		[[{ error: { ...error, code: 4711 } }], 400, 4711],
		[{ choices: null, base_resp: { status_code: 4711, status_msg: 'no such model' } }, 200, 4711],
	])('reports a refusal in every known format: %j with HTTP %i', (body, status, code) => {
		expect(read(body, status)).toMatchObject({
			...{ kind: 'refused', http_status: status, code },
			reason: expect.stringMatching(/^.+ \(.*“no such model”\)$/),
		});
	});

	test('names the fields that a refusal lists', () => {
		const detail = [
			{ loc: ['body', 'model'], msg: 'Field required', type: 'missing' },
			{ loc: ['body', 'n', 0], msg: 'Not a number' },
		];
		expect(read({ detail }, 422)).toMatchObject({
			kind: 'refused',
			reason: expect.stringContaining(`“${JSON.stringify(detail)}”`),
		});
	});

	test.each([[{ error: {} }], [{ error: { message: { a: 7 } } }]])(
		'reports a refusal without a message: %j',
		(body) => {
			expect(read(body, 400)).toMatchObject({
				kind: 'refused',
				reason: expect.stringMatching(/^.+ \(no message\)$/),
			});
		},
	);

	test('reports a refusal for a response with the status failed', () => {
		const failed = {
			...response,
			status: 'failed',
			error: { code: 'server_error', message: 'oh' },
		};
		expect(read(failed)).toMatchObject({
			...{ kind: 'refused', code: 'server_error', reason: expect.stringContaining('“oh”') },
		});
	});

	test.each([
		[{ error: { message: 'no', code: 'invalid_api_key' } }, 401],
		['<h1>no', 401],
		[{ success: false, message: 'no', code: 10108 }, 200],
		[{ error: { message: 'no', code: '10108' } }, 400],
		[{ success: false, message: 'no', code: 1001 }, 403],
	])('says what to check when the secret is refused: %j with HTTP %i', (body, status) => {
		expect(read(body, status)).toMatchObject({
			kind: 'refused',
			description: expect.stringMatching(
				/^Check App Secret and, under Show Advanced Settings, Chat Secret Header .*instead of an access token\.$/,
			),
		});
	});

	test.each([400, 403, 404, 429])(
		'does not mention the secret when HTTP %i has another reason',
		(status) => {
			const refused = read({ error }, status);
			expect(refused.kind).toBe('refused');
			expect(JSON.stringify(refused)).not.toMatch(/secret/i);
		},
	);
});

describe('readChatResponse: unknown outcomes', () => {
	test.each([
		['plain text', 'Hello', 'text that is not JSON'],
		['JSON of another shape', '{"ok":1}', 'JSON without the expected field choices'],
		['choices that are not a list', '{"choices":{}}', 'JSON without the expected field choices'],
		['an envelope without a chat response', enveloped({ a: 1 }), 'the expected field choices'],
		[
			'success true with code 500',
			{ success: true, code: 500, data: {} },
			'success is true but the code is',
		],
		['success as text', { success: 'yes', data: completion }, 'JSON without the expected fields'],
	])('reports an unknown outcome for %s', (_, body, reason) => {
		const text = expect.stringMatching(/^the platform responded with /);
		expect(read(body)).toMatchObject({ kind: 'unknown', reason: text });
		expect(read(body)).toMatchObject({ reason: expect.stringContaining(reason) });
	});

	test('reports an unknown outcome for HTTP 4xx with a reply in the body', () => {
		expect(read(completion, 404)).toMatchObject({ kind: 'unknown' });
	});
});
