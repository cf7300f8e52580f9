import type { Credential, WorkflowNode } from '../../n8n/rest';
import { reference } from '../../n8n/workflows';

/** The default form of a body, with as many expressions as this package's node. */
const FIELDS = {
	specifyBody: 'keypair',
	bodyParameters: {
		parameters: [
			{ name: 'social_account_id', value: 'acc_1' },
			{ name: 'type', value: 'POST' },
			{ name: 'text', value: '={{ $json.text }}' },
			{ name: 'media_urls', value: '={{ [$json.picture] }}' },
		],
	},
};

/** The same body as one expression, which takes the least CPU time. */
export const ONE_EXPRESSION = {
	specifyBody: 'json',
	jsonBody: `={{ {
	social_account_id: "acc_1", type: "POST", text: $json.text, media_urls: [$json.picture]
} }}`,
};

/** The HTTP Request node with this package's credential. */
export const httpRequest = (
	credential: Credential,
	url: string,
	options: Record<string, unknown> = {},
	body: Record<string, unknown> = FIELDS,
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
		...body,
		options,
	},
});

/** The option Batching of the HTTP Request node. */
export const batching = (batchSize: number, batchInterval: number) => ({
	batching: { batch: { batchSize, batchInterval } },
});

/** Outputs a number of items at a time to its second output, where the loop begins. */
export const loopOverItems = (batchSize: number): WorkflowNode => ({
	name: 'Loop Over Items',
	type: 'n8n-nodes-base.splitInBatches',
	typeVersion: 3,
	parameters: { batchSize, options: {} },
});
