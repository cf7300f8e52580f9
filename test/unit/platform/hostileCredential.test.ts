import {
	authenticateRequest,
	RequestRefused,
	TokenNeeded,
} from '../../../credentials/authenticate';
import { SocialOpenPlatformApi } from '../../../credentials/SocialOpenPlatformApi.credentials';
import {
	CredentialUnusable,
	readSettings,
	urlOf,
} from '../../../nodes/SocialOpenPlatform/platform/settings';
import { readWebhookSettings } from '../../../nodes/SocialOpenPlatform/webhook/delivery';
import { expectNoSecret, SECRET, texts, TOKEN, values, withinTimeLimit } from '../hostileValues';

const valid = {
	...{ baseUrl: 'https://api.example.com', appId: 'app', appSecret: SECRET, accessToken: TOKEN },
	signatureRecipe: 'custom',
};

/** Returns the value of a task, which may only refuse a credential or a request. */
function valueOf<T>(task: () => T): T | undefined {
	const { stackTraceLimit } = Error;
	// Jest takes long to build the lines of a stack, which show no values.
	Error.stackTraceLimit = 0;
	try {
		return task();
	} catch (error) {
		const refusals = [CredentialUnusable, RequestRefused, TokenNeeded];
		if (!refusals.some((kind) => error instanceof kind)) throw error;
		expectNoSecret(error);
		return undefined;
	} finally {
		Error.stackTraceLimit = stackTraceLimit;
	}
}

/** Reads a credential and uses it for every kind of request, which may take little time in all. */
const use = (data: Record<string, unknown>) => withinTimeLimit(() => useNow(data));

function useNow(data: Record<string, unknown>): void {
	valueOf(() => readWebhookSettings(data));
	const settings = valueOf(() => readSettings(data));
	if (!settings) return;
	for (const operation of ['getAccessToken', 'createPost', 'chatCompletions'] as const) {
		const url = urlOf(operation, settings);
		const { origin } = new URL(url);
		if (origin !== settings.baseUrl.origin) expect(origin).toBe(settings.baseUrl.origin);
		expectNoSecret(url);
		valueOf(() => authenticateRequest({ url }, settings));
	}
}

const names = new SocialOpenPlatformApi().properties.map(({ name }) => name);

test.each(names)(
	'A credential with any %s is used or refused quickly, and shows no secret',
	(name) => {
		for (const value of [...texts, ...values]) use({ ...valid, [name]: value });
	},
);

test('A credential with any rows of accounts is used or refused, and shows no secret', () => {
	for (const value of [...texts, ...values, SECRET, `${'x'.repeat(90)}${SECRET}`]) {
		for (const row of [{ name: value }, { id: value }, { name: 'Harbour', id: value }, value]) {
			use({ ...valid, accounts: { account: [{ name: 'a', id: 'b' }, row] } });
		}
	}
});

test.each([
	...['X\r\nHost: evil', 'X: y', 'X\n', 'X\u0000', 'Ｘ', 'X Y'].map((name) => ['Header', name]),
	...['a\r\nX: y', 'a\u0000', 'a\t', 'Bärer'].map((prefix) => ['Prefix', prefix]),
])('A credential cannot inject headers by Chat Secret %s %j', (field, value) => {
	expect(() => readSettings({ ...valid, [`chatAuth${field}`]: value })).toThrow(
		`Chat Secret ${field}`,
	);
});
