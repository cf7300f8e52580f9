import { loopback } from '../loopback';
import { withToken } from '../storedToken';
import { droppingConnections } from '../testServers';
import { PostFlow, PostTexts, items, numbers, outputOf } from './postFlow';
import { newest, thisHost } from '../n8n/hosts';
import type { Setup } from '../n8n/setup';
import { CREDENTIAL_TYPE, manual, reference, row } from '../n8n/workflows';

let setup: Setup;

const TOKEN = 'a-token-0123456789';
/** The data of a credential with a stored token. */
const storedToken = (baseUrl: string) => {
	const { appId, appSecret } = setup.emulator;
	return withToken({ baseUrl, appId, appSecret }, TOKEN);
};

/** Tests the credential, the exchange of tokens, and n8n's HTTP Request node. */
export function testCredential(started: () => Setup): void {
	beforeEach(() => {
		setup = started();
		setup.emulator.reset();
	});

	describe('The credential test', () => {
		it('stores a token for the next post, and refuses a wrong secret although a token is stored', async () => {
			const credential = await setup.credential('good');
			expect(await setup.rest.testCredential(credential)).toMatchObject({ status: 'OK' });
			const flow = await PostFlow.active(setup, credential);
			expect(await flow.run(items('one'))).toMatchObject({ status: 'success' });
			expect([setup.arrived('createPost'), setup.arrived('getAccessToken')]).toEqual([1, 1]);
			const path = `/rest/credentials/${credential.id}?includeData=true`;
			const { data } = await setup.rest.call<{ data: object }>('GET', path);
			expect(data).toHaveProperty('accessToken');
			const edited = { ...credential, data: { ...data, appSecret: 'wrong' } };
			const answer = await setup.rest.testCredential(edited);
			expect(answer).toMatchObject({ status: 'Error' });
			expect(answer.message).toMatch(/check the App Secret/i);
		});
	});

	it('ten executions whose token was revoked share new tokens', async () => {
		const flow = await PostFlow.active(setup, await setup.credential('revoked'));
		await flow.run(items('first'));
		setup.emulator.revokeTokens();
		// Slow enough for most of the other executions to arrive during the exchange.
		setup.emulator.fault({ kind: 'slow', operation: 'getAccessToken', delayMs: 500 });
		await Promise.all(numbers(10).map(async (text) => await flow.send(items(text))));
		await flow.ended(11);
		// On a busy machine, n8n may store a token after the 5 seconds for which it is shared.
		expect(setup.arrived('getAccessToken')).toBeLessThanOrEqual(5);
		const posted = new PostTexts(setup.emulator).posted();
		expect(posted.sort()).toEqual(['first', ...numbers(10)].sort());
	});

	test('a post whose connection fails is not_sent, or unknown in n8n 1', async () => {
		const server = await droppingConnections();
		const data = storedToken(`https://127.0.0.1:${server.port}`);
		const settings = { onError: 'continueRegularOutput' };
		const credential = await setup.credential('dropping', data);
		const flow = await PostFlow.active(setup, credential, { options: { timeout: 2 }, settings });
		const [item] = outputOf(await flow.run(items('one')), 'Post');
		await server.stop();
		// The errors of n8n 1 do not contain the request.
		const isKnown = thisHost === newest;
		expect(item).toMatchObject({ details: { outcome: isKnown ? 'not_sent' : 'unknown' } });
		if (isKnown) expect(item!.error).toMatch(/^Nothing was sent for the post: no .*\(timeout\)/);
	});

	describe('the HTTP Request node with this credential', () => {
		async function run(parameters: object, data: Record<string, unknown> = {}, settings = {}) {
			const credentials = reference(await setup.credential('for HTTP Request', data));
			const authentication = 'predefinedCredentialType';
			const own = { authentication, nodeCredentialType: CREDENTIAL_TYPE, options: {} };
			const node = {
				...{ name: 'Call', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2, credentials },
				...{ parameters: { ...own, ...parameters }, ...settings },
			};
			const { id } = await setup.rest.createWorkflow(row('call', manual(), node));
			return await setup.rest.run(id, 'Start');
		}

		/** Runs it with a stored token, checks that the execution contains no secret, and returns the error message. */
		async function refusal(parameters: object, baseUrl: string, settings = {}) {
			const { error, raw } = await run(parameters, storedToken(baseUrl), settings);
			for (const secret of [setup.emulator.appSecret, TOKEN]) expect(raw).not.toContain(secret);
			setup.shown.push(error?.message ?? '');
			return error?.message;
		}

		it('creates only one post although the response is lost, with the token in its own header', async () => {
			setup.emulator.fault({ kind: 'reset-after', operation: 'createPost' });
			const body = {
				social_account_id: 'acc_1',
				type: 'POST',
				media_urls: ['https://a.example/a.jpg'],
			};
			const execution = await run({
				...{ method: 'POST', url: `${setup.emulator.url}/api/v1/socialPostCreatePhoto` },
				...{ sendBody: true, specifyBody: 'json', jsonBody: JSON.stringify(body) },
			});
			expect(execution.error?.message).toMatch(/not sent again/);
			const sent = setup.emulator.received.filter(({ operation }) => operation === 'createPost');
			expect(sent.map(({ headers }) => headers['x-legacy-token'])).toEqual([
				setup.emulator.tokens[0]?.token,
			]);
			expect(sent[0]!.headers).not.toHaveProperty('authorization');
		});

		it.each([
			['Ignore SSL Issues', { options: { allowUnauthorizedCerts: true } }],
			['Proxy', { options: { proxy: 'http://127.0.0.1:9' } }],
			[
				'Host',
				{ sendHeaders: true, headerParameters: { parameters: [{ name: 'Host', value: 'x' }] } },
			],
		])('is refused with %s', async (what, parameters) => {
			const baseUrl = what.includes('SSL') ? 'https://127.0.0.1:9' : setup.emulator.url;
			const message = await refusal({ url: `${baseUrl}/api/v1/other`, ...parameters }, baseUrl);
			expect(message).toMatch(/^Nothing was sent\. /);
			expect(message).toContain(`'${what}'`);
			expect(setup.emulator.received).toEqual([]);
		});

		it('sends nothing to the target of a redirect, and outputs no token with a failed request', async () => {
			const elsewhere = await loopback((_, response) => response.end('{}'));
			const platform = await loopback((_, response) =>
				response.writeHead(307, { location: elsewhere.url }).end('{}'),
			);
			const redirect = { redirect: { followRedirects: true, maxRedirects: 5 } };
			const options = { redirect, sendCredentialsOnCrossOriginRedirect: true };
			for (const settings of [{}, { onError: 'continueRegularOutput' }]) {
				await refusal({ url: `${platform.url}/api/v1/moved`, options }, platform.url, settings);
			}
			expect(platform.received[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
			expect(elsewhere.received).toEqual([]);
			await elsewhere.stop();
			await platform.stop();
		});
	});
}
