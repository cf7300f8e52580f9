import type { HookContext } from 'n8n-core';
import type { IHttpRequestOptions, IRequestOptions } from 'n8n-workflow';
import type { CredentialStore } from './credentialStore';
import { TriggerRunner } from './triggerRunner';

/** The type of the package's credential. */
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

/** Returns the context in which a node, such as HTTP Request, sends requests with credential 1 of a store. */
export const otherNodeContext = (store: CredentialStore): HookContext =>
	new TriggerRunner(store, '1', {
		...{ id: '1', name: 'Call', type: 'trigger', typeVersion: 1, position: [0, 0], parameters: {} },
		credentials: { [CREDENTIAL_TYPE]: { id: '1', name: 'Platform' } },
	}).hookContext();

/** Send a request with the credential, with each of n8n's helpers. */
export const requestHelpers: Record<
	string,
	(context: HookContext, url: string, options: object) => Promise<unknown>
> = {
	'the older helper': async (context, uri, options) => {
		const request = { uri, timeout: 2_000, ...options } as IRequestOptions;
		const { helpers } = context;
		return await helpers.requestWithAuthentication.call(context, CREDENTIAL_TYPE, request);
	},
	'the newer helper': async (context, url, options) => {
		const request = { url, timeout: 2_000, ...options } as IHttpRequestOptions;
		const { helpers } = context;
		return await helpers.httpRequestWithAuthentication.call(context, CREDENTIAL_TYPE, request);
	},
};
