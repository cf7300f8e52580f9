import fc from 'fast-check';
import type { HookContext } from 'n8n-core';
import type { IHttpRequestOptions } from 'n8n-workflow';
import { loopback, type Loopback } from '../../loopback';
import { SECRET, TOKEN } from '../../unit/hostileValues';
import { CredentialStore } from '../harness/credentialStore';
import { CREDENTIAL_TYPE as TYPE, otherNodeContext } from '../harness/otherNode';
import { withToken } from '../../storedToken';

let platform: Loopback;
let other: Loopback;
let bodies: string[] = [];
let context: HookContext;

beforeAll(async () => {
	platform = await loopback((_, response) => response.end('{}'));
	other = await loopback((request, response) => {
		request.on('data', (piece: Buffer) => bodies.push(piece.toString('utf8')));
		request.on('end', () => response.end('{}'));
	});
	const store = new CredentialStore();
	const data = { appId: 'a', appSecret: SECRET, allowPlainHttp: true };
	store.stored.set('1', withToken({ ...data, baseUrl: platform.url }, TOKEN));
	context = otherNodeContext(store);
});
afterAll(async () => await Promise.all([platform.stop(), other.stop()]));

/** Returns the headers, URLs and bodies with a secret that have reached the other server. */
function textsWithSecret(): string[] {
	const headers = other.received.flatMap(({ rawHeaders, url }) => [...rawHeaders, url ?? '']);
	const found = [...headers, ...bodies].filter((text) =>
		[SECRET, TOKEN, 'legacy', 'Bearer', 'signature'].some((word) => text.includes(word)),
	);
	other.received.length = 0;
	bodies = [];
	return found;
}

const TIMEOUT_MS = 1_000;

const requestHelpers: Record<string, (url: string, baseURL?: string) => Promise<unknown>> = {
	httpRequestWithAuthentication: async (url, baseURL) => {
		const options: IHttpRequestOptions = { url, baseURL, method: 'POST', timeout: TIMEOUT_MS };
		return await context.helpers.httpRequestWithAuthentication.call(context, TYPE, options);
	},
	requestWithAuthentication: async (uri, baseURL) => {
		const request = { uri, baseURL, method: 'POST' as const, timeout: TIMEOUT_MS };
		const options = { ...request, resolveWithFullResponse: true };
		return await context.helpers.requestWithAuthentication.call(context, TYPE, options);
	},
};

/** Spellings of the URLs of the two servers. No other host is used, so no request leaves this machine. */
function pieces(): fc.Arbitrary<string> {
	const [own, others] = [platform, other].map(({ url }) => new URL(url));
	const host = [own!.host, others!.host, `localhost:${others!.port}`, `127.1:${others!.port}`];
	return fc.constantFrom(
		...[...host, `0x7f000001:${others!.port}`, `[::ffff:7f00:1]:${others!.port}`],
		...['http:', 'HTTP:', 'https:', 'javascript:', 'file:', '//', '/', '\\\\', '\\', '///'],
		...['@', ':', '?', '#', '\t', '\n', ' ', '\u00a0', '\ufeff', '.', '..', '。'],
		...['%2f', '%5c', '%40', 'u:p@'],
		...[platform.url, other.url, '/v1/responses', '/api/v1/getAccessToken', '/api/v1/other'],
	);
}

describe.each(Object.keys(requestHelpers))('%s', (helper) => {
	const send = async (url: string, baseURL?: string) =>
		await requestHelpers[helper]!(url, baseURL).catch(() => undefined);

	test('sends the secret to the platform, and can reach the other server', async () => {
		for (const path of ['/v1/responses', '/api/v1/other']) {
			const before = platform.received.length;
			await send(platform.url + path);
			expect(platform.received.length).toBe(before + 1);
			await send(other.url + path);
			expect(other.received).toHaveLength(1);
			expect(textsWithSecret()).toEqual([]);
		}
		const found = platform.received.map(({ headers }) => headers.authorization);
		expect(found).toEqual(expect.arrayContaining([`Bearer ${SECRET}`, `Bearer ${TOKEN}`]));
	});

	test('sends no secret to another server with any URL', async () => {
		const any = fc.array(pieces(), { minLength: 1, maxLength: 6 }).map((all) => all.join(''));
		const starts = [platform.url, other.url, other.url.slice('http:'.length), '/', ' '];
		const begun = fc.tuple(fc.constantFrom(...starts), any).map((all) => all.join('/'));
		const address = fc.oneof(any, begun);
		let met = 0;
		await fc.assert(
			fc.asyncProperty(address, fc.boolean(), async (url, hasBase) => {
				await send(url, hasBase ? platform.url : undefined);
				met += other.received.length;
				expect(textsWithSecret()).toEqual([]);
			}),
			{ numRuns: 60, examples: [false, true].map((hasBase) => [other.url, hasBase]) },
		);
		expect(met).toBeGreaterThan(1);
	});
});

// n8n treats such a URL as relative, and appends it to the base URL of the request.
test('A URL that begins with a space is relative to the base URL', async () => {
	await requestHelpers.requestWithAuthentication!(`\n${platform.url}`, other.url).catch(
		() => undefined,
	);
	expect(textsWithSecret()).toEqual([]);
});
