import type { Credential, WorkflowNode } from '../../n8n/rest';
import { reference } from '../../n8n/workflows';

/** What users do today: n8n's own nodes. */

/** As the node asks for it by default: a row for each field, with the expressions that this node has. */
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

/** The same in one expression, which is the cheapest way to write it. */
export const ONE_EXPRESSION = {
	specifyBody: 'json',
	jsonBody: `={{ {
	social_account_id: "acc_1", type: "POST", text: $json.text, media_urls: [$json.picture]
} }}`,
};

/** The HTTP Request node, with this package's credential. */
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
