import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../emulator';
import { testCredential } from './credentialTest';
import type { Platform } from '../harness/platform';
import { onPlatform, type Troubles } from './troubles';

/** Tests a credential that differs from the valid one in these fields. */
const tested = (fields: IDataObject) =>
	onPlatform(async (platform) => {
		Object.assign(platform.credential, fields);
		return await testCredential(platform);
	});

const answered = (fault: FaultSpec) =>
	onPlatform(async (platform) => {
		platform.emulator.fault({ ...fault, operation: 'getAccessToken' });
		return await testCredential(platform);
	});

const elsewhere = (change: (url: string) => string) =>
	onPlatform(async (platform: Platform) => {
		const baseUrl = change(platform.emulator.url);
		Object.assign(platform.credential, { baseUrl });
		return await testCredential(platform);
	});

/** Messages below “Couldn’t connect with these settings” when a credential is saved. */
export const credentialTroubles: Troubles = {
	"'Base URL' is not a valid URL": tested({ baseUrl: 'api.example.com' }),
	"'Base URL' starts with http://, so anyone on the network path could read the access token":
		tested({
			baseUrl: 'http://api.example.com',
		}),
	// A name with two dots is not looked up, so the message is the same on every machine.
	'No access token from …: the host was not found': tested({
		baseUrl: 'https://api..example.com',
	}),
	'No access token from …: the connection was refused': onPlatform(async (platform) => {
		await platform.emulator.stop();
		return await testCredential(platform);
	}),
	'No access token from …: the host does not speak HTTPS on this port': elsewhere((url) =>
		url.replace('http:', 'https:'),
	),
	'The platform gave no access token: … the signature is wrong, which usually means a wrong App Secret)':
		tested({ appSecret: 'mistyped' }),
	'The platform gave no access token: … the application is unknown or disabled)': tested({
		appId: 'mistyped',
	}),
	'The platform gave no access token: the platform responded with an HTML page instead of JSON':
		answered({ kind: 'html' }),
	'The platform gave no access token: … too many requests)': answered({
		kind: 'rate-limited-429',
	}),
	'The platform gave no access token: the address responds with a redirect to …': answered({
		kind: 'redirect',
	}),
};
