import { readBusinessResponse } from '../../../nodes/SocialOpenPlatform/platform/response';
import { readResponse } from './sentRequest';

const read = (body: unknown, status = 200, more = {}, secrets: string[] = []) => {
	const text = typeof body === 'string' ? body : JSON.stringify(body);
	return readResponse(readBusinessResponse, { status, body: text, ...more }, { secrets });
};

describe('readBusinessResponse', () => {
	test('accepts a response only with success true and code 200', () => {
		const body = { requestId: 'r', success: true, message: '成功', code: 200, data: { a: 1 } };
		const value = { requestId: 'r', data: { a: 1 } };
		expect(read(body)).toStrictEqual({ kind: 'accepted', value });
		expect(read({ ...body, code: '200' })).toMatchObject({ kind: 'accepted' });
	});

	test('keeps unknown fields of the data and every digit of IDs', () => {
		const outcome = read('{"success":true,"code":200,"data":{"id":9007199254740993,"new":[1]}}');
		expect(outcome).toMatchObject({ value: { data: { id: '9007199254740993', new: [1] } } });
	});

	test.each([[500], [201], [undefined]])(
		'reports an unknown outcome when success is true but the code is %s',
		(code) => {
			expect(read({ success: true, code, data: {} })).toMatchObject({ kind: 'unknown' });
		},
	);

	test('reports an unknown outcome for a refusal that contains an action', () => {
		const body = { success: false, code: 2150, data: { action_sn: 'SA1' } };
		expect(read(body)).toMatchObject({ kind: 'unknown' });
	});

	test('reports a refusal for success false with any code', () => {
		expect(read({ success: false, code: 200, message: '失败' })).toMatchObject({
			kind: 'refused',
			code: 200,
		});
	});

	test('quotes the message and says what to do', () => {
		const outcome = read({ requestId: 'r1', success: false, message: '参数错误', code: 2150 });
		expect(outcome).toMatchObject({
			kind: 'refused',
			code: 2150,
			request_id: 'r1',
			reason: 'the request was not accepted (code 2150: “参数错误”)',
			description: expect.stringContaining("Read the platform's message"),
		});
	});

	test('reports a refusal without code and message', () => {
		expect(read({ success: false })).toMatchObject({
			kind: 'refused',
			reason: 'the request was not accepted (no message)',
		});
	});

	test.each([
		['an HTML page', '<!DOCTYPE html><p>hi', 'an HTML page instead of JSON'],
		['an empty body', '  ', 'an empty response'],
		['truncated JSON', '{"success":true,"da', 'JSON that is cut off or damaged'],
		['plain text', 'OK', 'text that is not JSON'],
		['JSON of another shape', '{"ok":1}', 'JSON without the expected fields'],
		['success as text', '{"success":"true","code":200}', 'JSON without the expected fields'],
	])('reports an unknown outcome for %s', (_, body, reason) => {
		expect(read(body)).toMatchObject({
			kind: 'unknown',
			reason: expect.stringContaining(reason),
		});
	});

	test.each([500, 408])('reports an unknown outcome for HTTP %i', (status) => {
		expect(read('<h1>oops', status)).toMatchObject({ kind: 'unknown', http_status: status });
		expect(read({ success: false, message: '系统错误', code: 500 }, status)).toMatchObject({
			kind: 'unknown',
			reason: `the platform responded with HTTP ${status}: “系统错误”`,
		});
	});

	test.each([
		[400, 'the request was not accepted'],
		[403, 'a firewall or proxy refused it'],
		[407, 'a proxy requires a login'],
		[405, 'there is no API endpoint at this address'],
		[429, 'too many requests'],
	])('reports a refusal for HTTP %i and explains it: %s', (status, reading) => {
		const outcome = read('<h1>no', status, { retryAfter: '7' });
		expect(outcome).toMatchObject({ kind: 'refused', http_status: status, retry_after: '7' });
		expect(outcome).toMatchObject({ reason: expect.stringContaining(reading) });
	});

	test.each([
		[
			{ message: '参数错误', code: 2150, requestId: 'r1' },
			'the request was not accepted (code 2150: “参数错误”)',
		],
		[
			{ msg: 'no such account', code: 'E7', request_id: 'r1' },
			'the request was not accepted (code E7: “no such account”)',
		],
		[
			{ error: { message: 'no such account', code: 4 }, requestId: 'r1' },
			'(code 4: “no such account”)',
		],
		[
			{ error: 'invalid_request', requestId: 'r1' },
			'the request was not accepted (“invalid_request”)',
		],
		[{ detail: 'no model', requestId: 'r1' }, 'the request was not accepted (“no model”)'],
		[{ code: 1003, requestId: 'r1' }, 'no permission (code 1003: no message)'],
	])('reads the refusal of an HTTP 4xx response from %j', (body, reason) => {
		const outcome = read(body, 400);
		expect(outcome).toMatchObject({ kind: 'refused', http_status: 400, request_id: 'r1' });
		expect((outcome as { reason: string }).reason).toContain(reason);
	});

	test.each([[[{ error: [] }]], [{ message: ' ' }], ['"no"']])(
		'reports a refusal for HTTP 4xx when %j contains no message',
		(body) => {
			const { reason } = read(body, 404) as { reason: string };
			expect(reason).toMatch(/^HTTP 404, there is no API endpoint/);
		},
	);

	test('shortens a long code and a long request ID', () => {
		const long = 'x'.repeat(400_000);
		for (const code of [long, '9'.repeat(400_000)]) {
			const outcome = read({ success: false, requestId: long, code, message: long });
			expect(JSON.stringify({ ...outcome, message: '' }).length).toBeLessThan(1_500);
		}
		const unclear = read({ success: true, code: long });
		expect(JSON.stringify(unclear).length).toBeLessThan(1_000);
	});

	test('reports an unknown outcome for HTTP 4xx with a body that reports success', () => {
		expect(read({ success: true, code: 200 }, 401)).toMatchObject({ kind: 'unknown' });
	});

	test('reports an unknown outcome for a redirect', () => {
		const outcome = read('', 307, { location: 'https://other.example/x?key=1#y' });
		expect(outcome).toMatchObject({
			kind: 'unknown',
			reason: 'the address responds with a redirect to https://other.example/x (HTTP 307)',
			description: expect.stringContaining('Base URL'),
		});
	});

	test.each([
		[{ code: 2.5, message: 'x' }, { reason: 'the request was not accepted (“x”)' }],
		[{ message: ['x'], code: 1001 }, { code: 1001 }],
		[
			{ requestId: 7, code: 1001 },
			{ code: 1001, request_id: '7' },
		],
	])('reads a refusal with fields of wrong types: %j', (odd, expected) => {
		expect(read({ success: false, ...odd })).toMatchObject({ kind: 'refused', ...expected });
	});

	test('accepts a numeric request ID and a byte order mark', () => {
		const body = '\uFEFF{"requestId":7,"success":true,"code":200,"data":{}}';
		expect(read(body)).toMatchObject({ kind: 'accepted', value: { requestId: '7' } });
	});

	test('redacts the whole of a secret that follows a long text', () => {
		for (let before = 250; before < 310; before++) {
			const secret = 'abcdefghijklmnopqrstuvwxyz';
			const body = JSON.stringify({ success: false, message: 'x'.repeat(before) + secret });
			const outcome = read(body, 200, {}, [secret]);
			expect(JSON.stringify(outcome)).not.toContain('abc');
		}
	});

	test('redacts the whole of a secret in the code of a response that contradicts itself', () => {
		const secret = 'abcdefghijklmnopqrstuvwxyz';
		const outcome = read({ success: true, code: 'x'.repeat(50) + secret }, 200, {}, [secret]);
		expect(JSON.stringify(outcome)).not.toContain('abc');
	});
});
