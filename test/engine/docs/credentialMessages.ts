import type { IDataObject } from 'n8n-workflow';
import type { FaultKind } from '../../emulator';
import type { Platform } from '../harness/platform';
import { testCredential } from './credentialTest';
import type { QuotedMessages } from './quotedMessages';

/** Tests the valid credential with these fields changed. */
const withFields = (fields: IDataObject) => async (platform: Platform) => {
	Object.assign(platform.credential, fields);
	return await testCredential(platform);
};

const withFault = (kind: FaultKind) => async (platform: Platform) => {
	platform.emulator.fault({ kind, operation: 'getAccessToken' });
	return await testCredential(platform);
};

/** The messages below “Couldn’t connect with these settings” when a credential is saved. */
export const credentialMessages: QuotedMessages = {
	"'Base URL' is not a valid URL": withFields({ baseUrl: 'api.example.com' }),
	"'Base URL' starts with http://": withFields({ baseUrl: 'http://api.example.com' }),
	// A name with two consecutive dots is not looked up, so the message is the same on every machine.
	'Could not get an access token from …: the host was not found': withFields({
		baseUrl: 'https://api..example.com',
	}),
	'Could not get an access token from …: the connection was refused': withFields({
		baseUrl: 'http://127.0.0.1:9',
	}),
	'Could not get an access token from …: the host does not speak HTTPS on this port': async (
		platform,
	) => await withFields({ baseUrl: platform.emulator.url.replace('http:', 'https:') })(platform),
	'The platform did not issue an access token: the signature is wrong': withFields({
		appSecret: 'mistyped',
	}),
	'The platform did not issue an access token: the application is unknown or disabled': withFields({
		appId: 'mistyped',
	}),
	'The platform did not issue an access token: the platform responded with an HTML page':
		withFault('html'),
	'The platform did not issue an access token: too many requests': withFault('rate-limited-429'),
	'The platform did not issue an access token: the address responds with a redirect to …':
		withFault('redirect'),
};
