import { readAnswer } from '../../nodes/SocialOpenPlatform/protocol/answer';

const answer = (body: unknown, status = 200, more = {}) =>
	readAnswer({ status, body: typeof body === 'string' ? body : JSON.stringify(body), ...more });

describe('An answer of the platform', () => {
	test('is a success only with success true and code 200', () => {
		const body = { requestId: 'r', success: true, message: '成功', code: 200, data: { a: 1 } };
		expect(answer(body)).toMatchObject({ kind: 'accepted', value: body });
		expect(answer({ ...body, code: '200' })).toMatchObject({ kind: 'accepted' });
	});

	test('keeps fields the interface does not list and every digit of ids', () => {
		const read = answer(
			'{"success":true,"code":200,"data":{"id":9007199254740993},"trace":{"x":1}}',
		);
		expect(read).toMatchObject({
			value: { data: { id: '9007199254740993' }, trace: { x: 1 } },
		});
	});

	test.each([[500], [201], [0], [undefined], [null]])(
		'is unclear when success is true but the code is %s',
		(code) => {
			expect(answer({ success: true, code, data: {} })).toMatchObject({ kind: 'unknown' });
		},
	);

	test('is a refusal with success false, whatever the code says', () => {
		expect(answer({ success: false, code: 200, message: '失败' })).toMatchObject({
			kind: 'refused',
			code: 200,
		});
	});

	test('quotes the platform, reads its code in English and says what to do', () => {
		const read = answer({ requestId: 'r1', success: false, message: '参数错误', code: 2150 });
		expect(read).toMatchObject({
			kind: 'refused',
			code: 2150,
			requestId: 'r1',
			reason: '“参数错误” (code 2150: the request was refused as invalid)',
			advice: expect.stringContaining('Correct the field'),
		});
	});

	test('is a refusal without code or message too', () => {
		expect(answer({ success: false })).toMatchObject({
			kind: 'refused',
			reason: 'no message (no code given)',
		});
	});

	test.each([
		['an HTML page', '<!DOCTYPE html><p>hi', 'an HTML page instead of JSON'],
		['nothing', '  ', 'an empty answer'],
		['half a JSON', '{"success":true,"da', 'JSON that is cut off or damaged'],
		['plain text', 'OK', 'text that is not JSON'],
		['JSON of another shape', '{"ok":1}', 'JSON without the expected fields'],
		['a list', '[1]', 'JSON without the expected fields'],
		['success as text', '{"success":"true","code":200}', 'JSON without the expected fields'],
	])('is unclear when it is %s', (_, body, reason) => {
		expect(answer(body)).toMatchObject({
			kind: 'unknown',
			reason: expect.stringContaining(reason),
		});
	});

	test.each([500, 502, 503, 504, 408])('is unclear with HTTP %i', (status) => {
		expect(answer('<h1>oops', status)).toMatchObject({ kind: 'unknown', status });
		expect(answer({ success: false, message: '系统错误', code: 500 }, status)).toMatchObject({
			kind: 'unknown',
			reason: `the platform answered HTTP ${status}: “系统错误”`,
		});
	});

	test.each([
		[400, 'no code given'],
		[403, 'no permission'],
		[404, 'there is no such interface at this address'],
		[405, 'does not take this HTTP method'],
		[429, 'too many requests'],
	])('is a refusal with HTTP %i, read as: %s', (status, reading) => {
		const read = answer('<h1>no', status, { retryAfter: '7' });
		expect(read).toMatchObject({ kind: 'refused', status, retryAfter: '7' });
		expect(read).toMatchObject({ reason: expect.stringContaining(reading) });
	});

	test.each([
		[{ message: '参数错误', code: 2150, requestId: 'r1' }, '“参数错误” (code 2150: '],
		[{ msg: 'no such account', code: 'E7', request_id: 'r1' }, '“no such account” (code E7: '],
		[{ error: { message: 'no such account', code: 4 }, requestId: 'r1' }, '“no such account”'],
		[{ error: 'invalid_request', error_description: 'gone', requestId: 'r1' }, '“gone” ('],
		[{ error: 'invalid_request', requestId: 'r1' }, '“invalid_request” ('],
		[{ success: 'false', message: 'no', requestId: 'r1' }, '“no” ('],
		[{ code: 1003, requestId: 'r1' }, 'no message (code 1003: no permission)'],
	])('is a refusal with HTTP 4xx that says what %j says', (body, reason) => {
		const read = answer(body, 400);
		expect(read).toMatchObject({ kind: 'refused', status: 400, requestId: 'r1' });
		expect((read as { reason: string }).reason).toContain(reason);
	});

	test.each([[{ data: {} }], [[{ message: 'no' }]], [{ message: ' ' }], ['"no"']])(
		'is a refusal with HTTP 4xx by its status alone where %j says nothing',
		(body) => {
			const { reason } = answer(body, 404) as { reason: string };
			expect(reason).toMatch(/^HTTP 404, there is no such interface/);
		},
	);

	test('shows no secret that HTTP 4xx repeats in its own words', () => {
		const read = readAnswer({ status: 400, body: '{"msg":"bad the-secret"}' }, ['the-secret']);
		expect((read as { reason: string }).reason).toContain('“bad [redacted]”');
	});

	test('is cut short where its code or its request ID is long', () => {
		const long = 'x'.repeat(400_000);
		for (const code of [long, '9'.repeat(400_000)]) {
			const read = answer({ success: false, requestId: long, code, message: 'no' });
			expect(JSON.stringify({ ...read, message: '' }).length).toBeLessThan(1_000);
		}
		const unclear = answer({ success: true, code: long });
		expect(JSON.stringify(unclear).length).toBeLessThan(1_000);
	});

	test('is unclear with HTTP 4xx when its body reports success', () => {
		expect(answer({ success: true, code: 200 }, 401)).toMatchObject({ kind: 'unknown' });
	});

	test('is a refusal when it redirects, naming where to without the query', () => {
		const read = answer('', 307, { location: 'https://other.example/x?key=1#y' });
		expect(read).toMatchObject({
			kind: 'refused',
			reason: 'the address answers with a redirect to https://other.example/x (HTTP 307)',
			advice: expect.stringContaining('Base URL'),
		});
	});

	test.each([301, 302, 303])(
		'is unclear when it redirects with HTTP %i, after a deed perhaps',
		(status) => {
			expect(answer('', status)).toMatchObject({
				kind: 'unknown',
				reason: `the address answers with a redirect (HTTP ${status})`,
			});
		},
	);

	test.each([
		[{ code: 'E100' }, { code: 'E100' }],
		[{ code: 2.5, message: 'x' }, { reason: '“x” (no code given)' }],
		[{ message: ['x'], code: 1001 }, { code: 1001 }],
		[
			{ requestId: 7, code: 1001 },
			{ code: 1001, requestId: '7' },
		],
	])('is a refusal all the same with odd types in it: %j', (odd, expected) => {
		expect(answer({ success: false, ...odd })).toMatchObject({ kind: 'refused', ...expected });
	});

	test('is a success all the same with a number as request id, and after a byte order mark', () => {
		const body = '\uFEFF{"requestId":7,"success":true,"code":200,"data":{}}';
		expect(answer(body)).toMatchObject({ kind: 'accepted', value: { requestId: '7' } });
	});

	test('shows no part of a secret, however long what stands before it', () => {
		for (let before = 250; before < 310; before++) {
			const secret = 'abcdefghijklmnopqrstuvwxyz';
			const body = JSON.stringify({ success: false, message: 'x'.repeat(before) + secret });
			const read = readAnswer({ status: 200, body }, [secret]);
			expect(JSON.stringify(read)).not.toContain('abc');
		}
	});

	test('is quoted in short when it is long', () => {
		const read = answer({ success: false, message: 'x'.repeat(5000) });
		expect((read as { reason: string }).reason.length).toBeLessThan(400);
	});
});
