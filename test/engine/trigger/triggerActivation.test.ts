import type { IDataObject } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

let platform: TriggerPlatform;
beforeEach(async () => {
	platform = await startTrigger();
});
afterEach(async () => await platform.stop());

async function refused(): Promise<string> {
	const error: unknown = await platform.host.activate().catch((thrown: unknown) => thrown);
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({
		description: 'Change it in the trigger or in its credential, then activate the workflow again.',
		node: { name: 'Status' },
	});
	return (error as Error).message;
}

test('activates with the defaults and an App Secret', async () => {
	await expect(platform.host.activate()).resolves.toBeUndefined();
	expect(platform.store.reads).toBe(1);
	expect(platform.emulator.received).toEqual([]);
});

describe('activation is refused', () => {
	const custom = { signatureRecipe: 'custom' };
	test.each<[string, IDataObject, RegExp]>([
		['without an App Secret', { appSecret: '' }, /^'App Secret' is empty\.$/],
		['with a blank App Secret', { appSecret: ' ' }, /^'App Secret' is empty\.$/],
		[
			'with a recipe that does not cover the body',
			{ ...custom, signedContent: '{timestamp}{id}' },
			/'Signed Content' contains neither \{body\} nor \{fields\}/,
		],
		[
			'with a recipe that does not involve the secret',
			{ ...custom, signatureKeyed: false },
			/does not involve the App Secret.*add \{secret\} to 'Signed Content'/,
		],
		[
			'with a placeholder that does not exist',
			{ ...custom, signedContent: '{body}{time}' },
			/^'Signed Content' cannot be read: \{time\} is not a placeholder\.$/,
		],
		[
			'with a secret that is not base64 when the recipe requires it',
			{ appSecret: 'not base64!', signatureRecipe: 'standardWebhooks' },
			/requires the App Secret in base64, but it is not base64\. Check the App Secret, or choose another method\.$/,
		],
		[
			'with a secret that has no UTF-8 form',
			{ appSecret: 'half \ud800' },
			/^'App Secret' contains half of a character/,
		],
		[
			'with a recipe that does not exist',
			{ signatureRecipe: 'other' },
			/^'Webhook Signature Method' is not one of the listed values\.$/,
		],
		[
			'with invalid custom fields, and names each of them',
			{ ...custom, signatureDigest: 'crc', signatureKeyForm: 'hex', nonceHeader: 'a b' },
			/^'Digest' is not.*'App Secret Form' is not.*'Nonce Header' is not the name of an HTTP header\.$/,
		],
		[
			'with invalid header names',
			{ ...custom, signatureHeader: '', timestampHeader: 'a:', webhookIdHeader: 'ü' },
			/^'Signature Header' is not.*'Timestamp Header' is not.*'ID Header' is not.*header\.$/,
		],
	])('%s', async (_, credential, message) => {
		Object.assign(platform.credential, credential);
		expect(await refused()).toMatch(message);
	});

	test.each<[string, IDataObject, RegExp]>([
		[
			'without Events',
			{ events: [] },
			/^'Events' is empty.*choose 'Any Status' or other events\.$/,
		],
		['with an event that does not exist', { events: ['gone'] }, /^'Events' contains a status/],
		[
			'with Only Final Statuses and no final status',
			{ events: ['queued', 'retrying'], onlyFinalStatuses: true },
			/^'Only Final Statuses' excludes all statuses chosen under 'Events'\.$/,
		],
		[
			'with accounts that are not a list',
			{ socialAccountIds: "={{ 'acc_1' }}" },
			/^'Social Account IDs' is not a list of IDs\.$/,
		],
		...[0, 86_401, '={{ "soon" }}'].map((timeWindow): [string, IDataObject, RegExp] => [
			`with a Time Window of ${timeWindow}`,
			{ options: { timeWindow } },
			/^'Time Window \(Seconds\)' is not a number of seconds from 1 to 86400\.$/,
		]),
		...[-1, 169].map((duplicateWindow): [string, IDataObject, RegExp] => [
			`with a Duplicate Window of ${duplicateWindow}`,
			{ options: { duplicateWindow } },
			/^'Duplicate Window \(Hours\)' is not a number of hours from 0 to 168\.$/,
		]),
		[
			'with several issues, and names each of them',
			{ events: [], options: { timeWindow: 0, duplicateWindow: -1 } },
			/^'Events'.*'Time Window \(Seconds\)'.*'Duplicate Window \(Hours\)'/,
		],
	])('%s', async (_, parameters, message) => {
		platform.host.node.parameters = parameters as never;
		expect(await refused()).toMatch(message);
	});

	test('when the credential cannot be read', async () => {
		platform.store.reading = () => {
			throw new Error('The database is away');
		};
		expect(await refused()).toBe('The database is away');
	});

	test('without a credential', async () => {
		platform.host.node.credentials = undefined;
		expect(await refused()).toBe('Node does not have any credentials set');
	});
});

describe('activation succeeds', () => {
	test.each<[string, IDataObject]>([
		['with the highest numbers', { options: { timeWindow: 86_400, duplicateWindow: 168 } }],
		['with the lowest numbers', { options: { timeWindow: 1, duplicateWindow: 0 } }],
		[
			'with one final status among others',
			{ events: ['queued', 'failed'], onlyFinalStatuses: true },
		],
		['with Any Status and Only Final Statuses', { events: ['*'], onlyFinalStatuses: true }],
	])('%s', async (_, parameters) => {
		platform.host.node.parameters = parameters as never;
		await expect(platform.host.activate()).resolves.toBeUndefined();
	});

	test('with an invalid Base URL, which the trigger does not use', async () => {
		platform.credential.baseUrl = 'nowhere';
		await expect(platform.host.activate()).resolves.toBeUndefined();
	});
});

test('deactivates without reading the credential', async () => {
	platform.credential.appSecret = '';
	expect(await platform.host.deactivate()).toBe(true);
	expect(platform.store.reads).toBe(0);
});
