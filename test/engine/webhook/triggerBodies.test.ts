import { RECIPES } from '../../emulator';
import { signedHeaders } from '../../emulator/webhook/sign';
import { refused, useTrigger } from '../harness/triggerPlatform';

const text = '{"id":"evt_1","data":{"status":"published"}}';

const platform = useTrigger();

/** Sends a body with the signature of `text`. */
async function send(body: string, headers: Record<string, string>) {
	const secret = platform.emulator.appSecret;
	const unused = { timestamp: '', id: '', nonce: '' };
	const signed = signedHeaders(RECIPES.body, { body: text, secret, ...unused });
	const all = { ...signed, ...headers };
	const response = await fetch(platform.host.url, { method: 'POST', body, headers: all });
	return { status: response.status, body: await response.json() };
}

describe('A signed JSON body', () => {
	test.each([
		...['application/json', 'application/json; charset=latin1', 'text/plain'],
		...['application/octet-stream', 'application/xml'],
	])('is accepted with the content type %s', async (type) => {
		expect(await send(text, { 'Content-Type': type })).toMatchObject({ status: 200 });
		expect(platform.items()).toMatchObject([{ event_id: 'evt_1', status: 'published' }]);
	});

	test('is accepted without a content type', async () => {
		const headers = { 'Content-Type': undefined };
		expect(await platform.deliver(text, { headers })).toMatchObject({ status: 200 });
		expect(platform.items()).toHaveLength(1);
	});

	test('is accepted with a byte order mark', async () => {
		expect(await platform.deliver(`\uFEFF${text}`)).toMatchObject({ status: 200 });
		expect(platform.items()).toMatchObject([{ event_id: 'evt_1' }]);
	});
});

describe('A body is refused', () => {
	afterEach(() => expect(platform.host.executions).toEqual([]));

	test('when it is larger than 1 MB, signed or not', async () => {
		const body = `{"a":"${'x'.repeat(1024 * 1024)}"}`;
		for (const secret of [undefined, 'forged']) {
			expect(await platform.deliver(body, { secret })).toEqual({ ...refused, status: 413 });
		}
		expect(platform.warnings().at(-1)).toMatch(/\(too-large\): The body is/);
	});

	test('when it is a form with files', async () => {
		const form = `--b\r\nContent-Disposition: form-data; name="payload"\r\n\r\n${text}\r\n--b--\r\n`;
		const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
		expect(await send(form, headers)).toEqual(refused);
		expect(platform.warnings().at(-1)).toContain('(no-body): The body cannot be verified');
	});

	test('when n8n cannot decompress it', async () => {
		const headers = { 'Content-Type': 'application/octet-stream', 'Content-Encoding': 'gzip' };
		expect(await send(text, headers)).toEqual(refused);
	});
});
