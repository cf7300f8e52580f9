import { randomUUID } from 'node:crypto';
import type { Credential, WorkflowNode } from '../../n8n/rest';
import { reference } from '../../n8n/workflows';

/** n8n's Webhook node, which responds when the execution is stored, as the triggers do. */
export const webhook = (path: string, options: object): WorkflowNode => ({
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	webhookId: randomUUID(),
	parameters: { httpMethod: 'POST', path, responseMode: 'onReceived', options },
});

const hmac = (credential: Credential): WorkflowNode => ({
	name: 'HMAC',
	type: 'n8n-nodes-base.crypto',
	typeVersion: 2,
	credentials: reference(credential),
	parameters: { action: 'hmac', binaryData: true, type: 'SHA256', dataPropertyName: 'digest' },
});

const compare: WorkflowNode = {
	name: 'Is It Signed?',
	type: 'n8n-nodes-base.if',
	typeVersion: 2.3,
	parameters: {
		conditions: {
			combinator: 'and',
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 3 },
			conditions: [
				{
					id: randomUUID(),
					leftValue: '={{ $json.headers["x-webhook-signature"] }}',
					rightValue: '={{ $json.digest }}',
					operator: { type: 'string', operation: 'equals' },
				},
			],
		},
	},
};

/**
 * The nodes with which users can check a signature today. They sign the raw body, because serialized JSON
 * may differ from the bytes that were signed.
 *
 * @param secret the secret as a credential of n8n's Crypto node
 */
export const chain = (path: string, secret: Credential): WorkflowNode[] => [
	webhook(path, { rawBody: true }),
	hmac(secret),
	compare,
];
