import fc from 'fast-check';
import {
	authenticateRequest,
	TokenNeeded,
	RequestRefused,
} from '../../../credentials/authenticate';
import { urlOf } from '../../../nodes/SocialOpenPlatform/platform/settings';
import {
	CredentialUnusable,
	readSettings,
} from '../../../nodes/SocialOpenPlatform/platform/settings';
import { signTokenRequest } from '../../../nodes/SocialOpenPlatform/platform/signature';
import { readWebhookSettings } from '../../../nodes/SocialOpenPlatform/webhook/delivery';
import { SocialOpenPlatformApi } from '../../../credentials/SocialOpenPlatformApi.credentials';
import {
	anything,
	expectNoSecret,
	resultOrRefusal,
	SECRET,
	texts,
	TOKEN,
	values,
} from '../hostileValues';

const valid = {
	baseUrl: 'https://api.example.com',
	appId: 'app',
	appSecret: SECRET,
	accessToken: TOKEN,
	signatureRecipe: 'custom',
};

const names = new SocialOpenPlatformApi().properties.map(({ name }) => name);

/** The names of the credential's fields that are not secret. */
const others = names.filter((name) => name !== 'appSecret' && name !== 'accessToken');

/** Reads a credential and uses it for every kind of request. */
function use(data: Record<string, unknown>): void {
	const { value: settings, refusal } = resultOrRefusal(
		() => readSettings(data),
		CredentialUnusable,
	);
	if (refusal) expectNoSecret(refusal);
	const webhook = resultOrRefusal(() => readWebhookSettings(data), CredentialUnusable);
	if (webhook.refusal) expectNoSecret(webhook.refusal);
	if (!settings) return;
	const { appId, appSecret } = settings;
	for (const operation of ['getAccessToken', 'createPost', 'chatCompletions'] as const) {
		const url = urlOf(operation, settings);
		expect(new URL(url).origin).toBe(settings.baseUrl.origin);
		expect(url).not.toContain(SECRET);
		resultOrRefusal(
			() => authenticateRequest({ url }, settings),
			CredentialUnusable,
			RequestRefused,
			TokenNeeded,
		);
	}
	if (data.appSecret === SECRET) {
		expectNoSecret(signTokenRequest({ appId, appSecret, timestamp: 0 }));
	}
}

describe.each(names)('A credential with a hostile %s', (name) => {
	test('is used or refused quickly, and shows no secret', () => {
		for (const value of [...texts, ...values]) {
			// hostileLengths.test.ts tests Base URLs with many slashes.
			if (name === 'baseUrl' && typeof value === 'string' && /^\/+!$/.test(value)) continue;
			use({ ...valid, [name]: value });
		}
	});
});

test('A credential with several hostile fields is used or refused', () => {
	const fields = fc.constantFrom(...others);
	fc.assert(
		fc.property(fc.dictionary(fields, anything), (wrong) => use({ ...valid, ...wrong })),
		{ numRuns: 100 },
	);
});

test('A credential with hostile rows of accounts is used or refused, and shows no secret', () => {
	const cells = [...texts, ...values, SECRET, `${'x'.repeat(90)}${SECRET}`];
	for (const value of cells) {
		for (const row of [{ name: value }, { id: value }, { name: 'Harbour', id: value }, value]) {
			use({ ...valid, accounts: { account: [{ name: 'a', id: 'b' }, row] } });
		}
	}
});

test('A credential that is not an object is refused', () => {
	for (const value of values) {
		const data = value as Record<string, unknown>;
		resultOrRefusal(() => readSettings(data), CredentialUnusable);
		resultOrRefusal(() => readWebhookSettings(data), CredentialUnusable);
	}
});

test('A credential cannot inject headers by its header name or prefix', () => {
	for (const injected of ['X\r\nHost: evil', 'X: y', 'X\n', 'X\u0000', 'Ｘ', 'X Y']) {
		expect(() => readSettings({ ...valid, chatAuthHeader: injected })).toThrow(
			'Chat Secret Header',
		);
	}
	for (const injected of ['Bearer\r\nX: y', 'Bearer\u0000', 'Bearer\t', 'Bärer']) {
		expect(() => readSettings({ ...valid, chatAuthPrefix: injected })).toThrow(
			'Chat Secret Prefix',
		);
	}
});
