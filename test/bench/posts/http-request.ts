import type { Credential, WorkflowNode } from '../../host/rest';
import { reference } from '../../host/workflows';

/** What users do today: n8n's own nodes. */

/** One expression for the whole body, which is the cheapest of the ways to write it. */
const BODY = `={{ {
	social_account_id: "acc_1", type: "POST", text: $json.text, media_urls: [$json.picture]
} }}`;

/** The HTTP Request node, with this package's credential. */
export const httpRequest = (
	credential: Credential,
	url: string,
	options: Record<string, unknown> = {},
): WorkflowNode => ({
	name: 'HTTP Request',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.5,
	credentials: reference(credential),
	parameters: {
		method: 'POST',
		url,
		authentication: 'predefinedCredentialType',
		nodeCredentialType: credential.type,
		sendBody: true,
		contentType: 'json',
		specifyBody: 'json',
		jsonBody: BODY,
		options,
	},
});

/** Its option Batching. */
export const batching = (batchSize: number, batchInterval: number) => ({
	batching: { batch: { batchSize, batchInterval } },
});

/** Gives so many items at a time to its second output, where the loop begins. */
export const loopOverItems = (batchSize: number): WorkflowNode => ({
	name: 'Loop Over Items',
	type: 'n8n-nodes-base.splitInBatches',
	typeVersion: 3,
	parameters: { batchSize, options: {} },
});
