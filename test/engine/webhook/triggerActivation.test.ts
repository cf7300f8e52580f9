import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { useTrigger } from '../harness/triggerPlatform';

const platform = useTrigger();

async function refused(): Promise<string> {
	const error: unknown = await platform.host.activate().catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({
		description: 'Change it in the trigger or in its credential, then activate the workflow again.',
		node: { name: 'Status' },
	});
	return (error as Error).message;
}

test('The trigger can be activated with the defaults and an App Secret', async () => {
	await expect(platform.host.activate()).resolves.toBeUndefined();
	expect(platform.store.reads).toBe(1);
	expect(platform.emulator.received).toEqual([]);
});

describe('Activation with invalid settings', () => {
	const custom = { signatureRecipe: 'custom' };
	test.each<[string, IDataObject, RegExp]>([
		['an empty App Secret', { appSecret: '' }, /^'App Secret' is empty\.$/],
		['a blank App Secret', { appSecret: ' ' }, /^'App Secret' is empty\.$/],
		[
			'a recipe that does not cover the body',
			{ ...custom, signedContent: '{timestamp}{id}' },
			/'Signed Content' contains neither \{body\} nor \{fields\}/,
		],
		[
			'a recipe that does not involve the secret',
			{ ...custom, signatureKeyed: false },
			/does not involve the App Secret.*add \{secret\} to 'Signed Content'/,
		],
		[
			'an unknown placeholder',
			{ ...custom, signedContent: '{body}{time}' },
			/^'Signed Content' cannot be read: \{time\} is not a placeholder\.$/,
		],
		[
			'a secret that is not base64 if the recipe requires base64',
			{ appSecret: 'not base64!', signatureRecipe: 'standardWebhooks' },
			/requires the App Secret in base64, but it is not base64\. Check the App Secret, or choose another method\.$/,
		],
		[
			'an unknown recipe',
			{ signatureRecipe: 'other' },
			/^'Webhook Signature Method' is not one of the listed values\.$/,
		],
		[
			'several invalid custom fields',
			{ ...custom, signatureDigest: 'crc', signatureKeyForm: 'hex', nonceHeader: 'a b' },
			/^'Digest' is not.*'App Secret Form' is not.*'Nonce Header' is not the name of an HTTP header\.$/,
		],
		[
			'invalid header names',
			{ ...custom, signatureHeader: '', timestampHeader: 'a:', webhookIdHeader: 'ü' },
			/^'Signature Header' is not.*'Timestamp Header' is not.*'ID Header' is not.*header\.$/,
		],
	])('is refused because of %s', async (_, credential, message) => {
		Object.assign(platform.credential, credential);
		expect(await refused()).toMatch(message);
	});

	test.each<[string, IDataObject, RegExp]>([
		['empty Events', { events: [] }, /^'Events' is empty.*choose at least one status\.$/],
		['an unknown event', { events: ['gone'] }, /^'Events' contains a status/],
		[
			'accounts that are not a list',
			{ socialAccountIds: "={{ 'acc_1' }}" },
			/^'Accounts' is not a list of IDs\.$/,
		],
		...['[null, {}]', '[9007199254740993]'].map((ids): [string, IDataObject, RegExp] => [
			`the accounts ${ids}`,
			{ socialAccountIds: `={{ ${ids} }}` },
			/^'Accounts' contains something that is not an ID; enter long numbers as text\.$/,
		]),
		...[0, 86_401, '={{ "soon" }}'].map((timeWindow): [string, IDataObject, RegExp] => [
			`a Time Window of ${timeWindow}`,
			{ options: { timeWindow } },
			/^'Time Window \(Seconds\)' is not a number of seconds from 1 to 86400\.$/,
		]),
		...[-1, 169].map((duplicateWindow): [string, IDataObject, RegExp] => [
			`a Duplicate Window of ${duplicateWindow}`,
			{ options: { duplicateWindow } },
			/^'Duplicate Window \(Hours\)' is not a number of hours from 0 to 168\.$/,
		]),
		[
			'several invalid parameters',
			{ events: [], options: { timeWindow: 0, duplicateWindow: -1 } },
			/^'Events'.*'Time Window \(Seconds\)'.*'Duplicate Window \(Hours\)'/,
		],
	])('is refused because of %s', async (_, parameters, message) => {
		platform.host.node.parameters = parameters as never;
		expect(await refused()).toMatch(message);
	});

	test('is refused when the credential cannot be read', async () => {
		platform.store.reading = () => {
			throw new Error('The database is not available');
		};
		expect(await refused()).toBe('The database is not available');
	});

	test('is refused without a credential', async () => {
		platform.host.node.credentials = undefined;
		expect(await refused()).toBe('Node does not have any credentials set');
	});
});

describe('Activation with valid settings', () => {
	test.each<[string, IDataObject]>([
		['the highest numbers', { options: { timeWindow: 86_400, duplicateWindow: 168 } }],
		['the lowest numbers', { options: { timeWindow: 1, duplicateWindow: 0 } }],
	])('succeeds with %s', async (_, parameters) => {
		platform.host.node.parameters = parameters as never;
		await expect(platform.host.activate()).resolves.toBeUndefined();
	});

	test('succeeds with an invalid Base URL, which the trigger does not use', async () => {
		platform.credential.baseUrl = 'nowhere';
		await expect(platform.host.activate()).resolves.toBeUndefined();
	});
});

test('Deactivation does not read the credential', async () => {
	platform.credential.appSecret = '';
	expect(await platform.host.deactivate()).toBe(true);
	expect(platform.store.reads).toBe(0);
});
