import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { RECIPES } from '../../emulator';
import { signedHeaders } from '../../emulator/webhook/sign';
import { useTrigger } from '../harness/triggerPlatform';

const text = '{"id":"evt_1","data":{"status":"published"}}';
const refused = { ok: false, error: 'refused' };
const noBody = { status: 401, body: refused };

const platform = useTrigger();

/** Sends a body with the signature of `text`. */
async function send(body: Buffer | string | undefined, headers: Record<string, string>) {
	const input = {
		body: text,
		secret: platform.emulator.appSecret,
		timestamp: '',
		id: '',
		nonce: '',
	};
	const signed = signedHeaders(RECIPES.body, input);
	const response = await fetch(platform.host.url, {
		method: 'POST',
		body: body === undefined ? undefined : new Uint8Array(Buffer.from(body)),
		headers: { ...signed, ...headers },
	});
	return { status: response.status, body: await response.json() };
}

describe('A signed JSON body', () => {
	test.each([
		'application/json',
		'application/json; charset=utf-8',
		'application/json; charset=latin1',
		'application/vnd.platform+json',
		'text/plain',
		'text/html',
		'application/octet-stream',
		'application/x-www-form-urlencoded',
		'application/xml',
	])('is accepted with the content type %s', async (type) => {
		expect(await send(text, { 'Content-Type': type })).toMatchObject({ status: 200 });
		expect(platform.items()).toMatchObject([{ event_id: 'evt_1', status: 'published' }]);
	});

	test('is accepted without a content type', async () => {
		const headers = { 'Content-Type': undefined };
		expect(await platform.deliver(text, { headers })).toMatchObject({ status: 200 });
		expect(platform.items()).toHaveLength(1);
	});

	test('is accepted when it is compressed', async () => {
		for (const type of ['application/json', 'application/octet-stream']) {
			platform.host.node.parameters = { options: { duplicateWindow: 0 } };
			const headers = { 'Content-Type': type, 'Content-Encoding': 'gzip' };
			expect(await send(gzipSync(text), headers)).toMatchObject({ status: 200 });
			headers['Content-Encoding'] = 'deflate';
			expect(await send(deflateSync(text), headers)).toMatchObject({ status: 200 });
		}
		expect(platform.items()).toHaveLength(4);
	});

	test('is accepted with a byte order mark', async () => {
		expect(await platform.deliver(`\uFEFF${text}`)).toMatchObject({ status: 200 });
		expect(platform.items()).toMatchObject([{ event_id: 'evt_1' }]);
	});
});

describe('An unusable body', () => {
	afterEach(() => expect(platform.host.executions).toEqual([]));

	test.each([
		['larger than 1 MB', `{"a":"${'x'.repeat(1024 * 1024)}"}`],
		['a list of more than 30,000 values', `{"a":[${'1,'.repeat(30_000)}1]}`],
		['nested more than 32 levels deep', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`],
	])('is refused with any recipe, signed or not, when it is %s', async (_, body) => {
		for (const recipe of ['body', 'standardWebhooks', 'sortedFields'] as const) {
			platform.credential.signatureRecipe = recipe;
			for (const options of [{ recipe }, { recipe, secret: 'Zm9yZ2Vk' }]) {
				expect(await platform.deliver(body, options)).toEqual({ status: 413, body: refused });
			}
		}
		expect(platform.warnings().at(-1)).toMatch(/\(too-large\): The body (is|contains)/);
	});

	test.each(['multipart/form-data', 'multipart/mixed'])(
		'is refused when its content type is %s',
		async (type) => {
			const form = `--b\r\nContent-Disposition: form-data; name="payload"\r\n\r\n${text}\r\n--b--\r\n`;
			expect(await send(form, { 'Content-Type': `${type}; boundary=b` })).toEqual(noBody);
		},
	);

	test('is refused when it cannot be decompressed', async () => {
		const headers = { 'Content-Type': 'application/octet-stream', 'Content-Encoding': 'gzip' };
		expect(await send(text, headers)).toEqual(noBody);
	});

	test.each(['br', 'x-gzip', 'gzip, gzip'])(
		'is refused when it is compressed as %s',
		async (encoding) => {
			const headers = { 'Content-Type': 'application/octet-stream', 'Content-Encoding': encoding };
			expect(await send(gzipSync(text), headers)).toEqual(noBody);
		},
	);

	test('is refused when its signature is in a trailer', async () => {
		const { port, pathname } = new URL(platform.host.url);
		const input = {
			...{ body: text, secret: platform.emulator.appSecret },
			...{ timestamp: '', id: '', nonce: '' },
		};
		const [name, signature] = Object.entries(signedHeaders(RECIPES.body, input))[0]!;
		const socket = connect(Number(port), '127.0.0.1');
		const lines = [
			...[`POST ${pathname} HTTP/1.1`, 'Host: n8n', 'Connection: close', `Trailer: ${name}`],
			...['Content-Type: application/json', 'Transfer-Encoding: chunked', ''],
			...[text.length.toString(16), text, '0', `${name}: ${signature}`, '', ''],
		];
		socket.write(lines.join('\r\n'));
		expect((await socket.toArray()).join('')).toMatch(/^HTTP\/1\.1 401 /);
		expect(platform.warnings().at(-1)).toContain('(missing-signature)');
	});

	test('is refused when it is larger than n8n allows', async () => {
		const large = Buffer.alloc(16 * 1024 * 1024 + 1, ' ');
		const headers = { 'Content-Type': 'application/octet-stream' };
		expect(await send(large, headers)).toEqual(noBody);
	});

	test('is refused when it is empty and the signature belongs to another body', async () => {
		expect(await send(undefined, {})).toMatchObject({
			status: 401,
			body: refused,
		});
		expect(platform.warnings().at(-1)).toContain('(wrong-signature)');
	});
});

test('n8n refuses invalid JSON, signed or not', async () => {
	expect(await platform.deliver('{"status":')).toMatchObject({ status: 422 });
	expect(platform.host.executions).toEqual([]);
	expect(platform.store.reads).toBe(0);
});

test('The webhook accepts only POST requests', async () => {
	const { status } = await fetch(platform.host.url);
	expect(status).toBe(404);
});
