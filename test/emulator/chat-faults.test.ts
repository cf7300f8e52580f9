import type { Emulator, FaultKind } from './index';
import { emulatorAroundTests } from './around-tests';
import { asking, COMPLETIONS, RESPONSES } from './chat-frames';
import type { TestClient } from './test-client';

let emulator: Emulator;
let client: TestClient;

emulatorAroundTests((...started) => ([emulator, client] = started));

describe.each([COMPLETIONS, RESPONSES])('Faults of %s', (path) => {
	const whole = async () => await client.chat(path, asking(path));

	it.each<[FaultKind, number, string, string | null]>([
		['unauthorized-401', 401, 'authentication_error', 'invalid_api_key'],
		['rate-limited-429', 429, 'rate_limit_error', 'rate_limit_exceeded'],
		['server-error-before', 500, 'server_error', null],
		['server-error-after', 500, 'server_error', null],
	])(
		'include %s, which responds with HTTP %i and a chat error',
		async (kind, status, type, code) => {
			emulator.fault({ kind, times: 2 });
			const message = expect.stringMatching(/^[A-Z].*\.$/);
			for (const stream of [false, true]) {
				const answer = await client.chat(path, asking(path, stream));
				expect(answer).toMatchObject({ status, json: { error: { message, type, code } } });
				expect(Object.keys(answer.json)).toStrictEqual(['error']);
				expect(Object.keys(answer.json.error).sort()).toStrictEqual([
					'code',
					'message',
					'param',
					'type',
				]);
			}
		},
	);

	it('include rate-limited-429, which sends Retry-After', async () => {
		emulator.fault({ kind: 'rate-limited-429', retryAfter: 7 });
		expect((await whole()).headers['retry-after']).toBe('7');
	});

	it.each<[FaultKind, object]>([
		['refused', { success: false, message: expect.any(String) }],
		['refused-without-code', { success: false, message: expect.any(String) }],
		['token-rejected-200', { success: false, code: 10104 }],
		['too-frequent-200', { success: false, message: expect.stringContaining('频繁') }],
		['success-false-code-200', { success: false, code: 200 }],
		['success-true-code-500', { success: true, code: 500 }],
		['echo-secrets', { success: false, code: 1002 }],
	])(
		'include %s, which responds with HTTP 200 and the business envelope',
		async (kind, envelope) => {
			emulator.fault({ kind });
			const { status, json } = await whole();
			expect(status).toBe(200);
			expect(json).toMatchObject({ requestId: expect.any(String), ...envelope });
			expect(json).not.toHaveProperty('error');
		},
	);

	it('include refused, which accepts an HTTP status, a code and a message in both formats', async () => {
		const fault = { status: 404, code: 'model_not_found', message: 'No such model.' };
		emulator.fault({ kind: 'refused', ...fault });
		expect(await whole()).toMatchObject({
			status: 404,
			json: { error: { message: fault.message, type: 'invalid_request_error', code: fault.code } },
		});
		emulator.fault({ kind: 'refused', status: 403, code: 1003, message: '无权限', envelope: true });
		expect(await whole()).toMatchObject({
			status: 403,
			json: { success: false, code: 1003, message: '无权限' },
		});
	});

	it('include redirect, which redirects to another origin', async () => {
		emulator.fault({ kind: 'redirect', status: 307, location: 'http://other.invalid/' });
		const headers = { location: 'http://other.invalid/' };
		expect(await whole()).toMatchObject({ status: 307, headers });
	});
});
