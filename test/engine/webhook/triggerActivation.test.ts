import { NodeOperationError, type IDataObject } from 'n8n-workflow';
import { useTrigger } from '../harness/triggerPlatform';

const platform = useTrigger();

async function refusalMessage(): Promise<string> {
	const error: unknown = await platform.host.activate().catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({
		description: 'Change it in the trigger or in its credential, then activate the workflow again.',
		node: { name: 'Status' },
	});
	return (error as Error).message;
}

test('The trigger can be activated with the defaults and an App Secret, also with an invalid Base URL', async () => {
	platform.credential.baseUrl = 'nowhere';
	await expect(platform.host.activate()).resolves.toBeUndefined();
	expect(platform.emulator.received).toEqual([]);
});

const custom = { signatureRecipe: 'custom' };

test.each<[string, IDataObject, RegExp]>([
	['a blank App Secret', { appSecret: ' ' }, /^'App Secret' is empty or the same/],
	[
		'the App Secret in a field that n8n may log',
		{ ...custom, appSecret: 'whsec_abc', signatureHeader: 'whsec_abc' },
		/^'App Secret' is empty or the same as another field\.$/,
	],
	[
		'a method that does not cover the body',
		{ ...custom, signedContent: '{timestamp}{id}' },
		/'Signed Content' contains neither \{body\} nor \{fields\}/,
	],
	[
		'a method that does not involve the secret',
		{ ...custom, signatureKeyed: false },
		/does not involve the App Secret.*add \{secret\} to 'Signed Content'/,
	],
	[
		'an unknown placeholder, which may be the App Secret',
		{ ...custom, signedContent: '{body}{s3cret}' },
		/^'Signed Content' has a placeholder other than \{body\}, [^3]*\.$/,
	],
	[
		'a secret that is not base64 if the method requires base64',
		{ appSecret: 'not base64!', signatureRecipe: 'standardWebhooks' },
		/requires the App Secret in base64, but it is not base64\. Check the App Secret, or choose another method\.$/,
	],
	[
		'an unknown method',
		{ signatureRecipe: 'other' },
		/^'Webhook Signature Method' is not one of the listed values\.$/,
	],
	[
		'invalid custom fields',
		{
			...{ ...custom, signatureDigest: 'crc', signatureKeyForm: 'hex', nonceHeader: 'a b' },
			...{ signatureHeader: '', timestampHeader: 'a:', webhookIdHeader: 'ü' },
		},
		/^'Digest' is.*'App Secret Form' is.*'Signature Header' is.*'Timestamp Header' is.*'ID Header' is.*'Nonce Header' is not the name of an HTTP header\.$/,
	],
])('Activation is refused because of %s', async (_, credential, message) => {
	Object.assign(platform.credential, credential);
	expect(await refusalMessage()).toMatch(message);
});

const windows =
	/^'Time Window \(Seconds\)' is not a number of seconds from 1 to 86400\. 'Duplicate Window \(Hours\)' is not a number of hours from 0 to 168\.$/;

test.each<[string, IDataObject, RegExp]>([
	['empty Events', { events: [] }, /^'Events' is empty.*choose at least one status\.$/],
	['an unknown event', { events: ['gone'] }, /^'Events' contains a status/],
	[
		'accounts that are not a list',
		{ socialAccountIds: "={{ 'acc_1' }}" },
		/^'Accounts' is not a list of IDs\.$/,
	],
	[
		'an account whose number has lost digits',
		{ socialAccountIds: '={{ [9007199254740993] }}' },
		/^'Accounts' contains something that is not text; enter numbers as text\.$/,
	],
	[
		'numbers that are too large',
		{ options: { timeWindow: 86_401, duplicateWindow: 169 } },
		windows,
	],
	['numbers that are too small', { options: { timeWindow: 0, duplicateWindow: -1 } }, windows],
])('Activation is refused because of %s', async (_, parameters, message) => {
	platform.host.node.parameters = parameters as never;
	expect(await refusalMessage()).toMatch(message);
});

test('Activation is refused when the credential cannot be read', async () => {
	platform.store.reading = () => {
		throw new Error('The database is not available');
	};
	expect(await refusalMessage()).toBe('The database is not available');
});

test.each([
	{ timeWindow: 86_400, duplicateWindow: 168 },
	{ timeWindow: 1, duplicateWindow: 0 },
])('Activation accepts the limits %j', async (options) => {
	platform.host.node.parameters = { options };
	await expect(platform.host.activate()).resolves.toBeUndefined();
});

test('Deactivation does not read the credential', async () => {
	expect(await platform.host.deactivate()).toBe(true);
	expect(platform.store.reads).toBe(0);
});
