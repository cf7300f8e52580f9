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

	test.each(['without', 'with'])('is not sent %s a stored token', async (how) => {
		if (how === 'with') withToken(platform.credential, 'a-token');
		const { error } = await platform.run();
		expect(error).toMatchObject({
			...notSent(/n8n refused the request: .* resolves to a restricted IP address/),
			description: expect.stringContaining(how === 'with' ? 'ask your n8n administrator' : ''),
		});
		expect(platform.emulator.received).toEqual([]);
	});
});

test('A credential reports why n8n refuses its token request to a domain that is not allowed', async () => {
	Object.assign(platform.credential, { allowedHttpRequestDomains: 'domains' });
	Object.assign(platform.credential, { allowedDomains: 'example.com' });
	const { error } = await platform.run();
	expect(error).toMatchObject(
		notSent(/n8n refused the request: “Domain not allowed: .* example\.com/),
	);
	expect(error!.message).toContain('Allowed HTTP Request Domains');
	expect(platform.emulator.received).toEqual([]);
	Object.assign(platform.credential, { allowedDomains: '127.0.0.1' });
	expect((await platform.run()).error).toBeUndefined();
});
