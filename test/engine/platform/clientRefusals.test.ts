import '../harness/execution';
import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import { withToken } from '../../storedToken';
import { notSent } from '../harness/customPlatform';
import { usePlatform } from '../harness/platform';

const platform = usePlatform();

describe('A post to a private address with N8N_SSRF_PROTECTION_ENABLED', () => {
	const config = Container.get(SsrfProtectionConfig);
	beforeEach(() => Object.assign(config, { enabled: true }));
	afterEach(() => Object.assign(config, { enabled: false }));

	const restricted = /n8n refused the request: .* resolves to a restricted IP address/;

	test('is not sent', async () => {
		withToken(platform.credential, 'a-token');
		const { error } = await platform.run();
		expect(error).toMatchObject(notSent(restricted));
		expect(error!.description).toContain('ask your n8n administrator');
		expect(platform.emulator.received).toEqual([]);
	});

	test('is not sent if it needs a token', async () => {
		const { error } = await platform.run();
		expect(error).toMatchObject(notSent(restricted));
		expect(platform.emulator.received).toEqual([]);
	});
});

describe('A credential with Allowed HTTP Request Domains', () => {
	const allow = (allowedDomains: string) =>
		Object.assign(platform.credential, { allowedHttpRequestDomains: 'domains', allowedDomains });

	test("reports why n8n refuses its token request if they do not contain the platform's host", async () => {
		allow('example.com');
		const { error } = await platform.run();
		expect(error).toMatchObject(
			notSent(/n8n refused the request: “Domain not allowed: .* example\.com/),
		);
		expect(error!.message).toContain('Allowed HTTP Request Domains');
		expect(platform.emulator.received).toEqual([]);
	});

	test("fetches a token if they contain the platform's host", async () => {
		allow('127.0.0.1');
		expect((await platform.run()).error).toBeUndefined();
	});
});
