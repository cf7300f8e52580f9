import { randomUUID } from 'node:crypto';
import type { Credential, WorkflowNode } from '../../n8n/rest';
import { reference } from '../../n8n/workflows';

/** What people build by hand to check a signature, of n8n's own nodes. */

/** n8n's Webhook node; it answers as soon as the execution is recorded, like the triggers. */
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
 * Webhook, HMAC, comparison. It signs the raw body: only that has the bytes that were signed, and
 * JSON written anew may differ from them.
 *
 * @param secret the secret as a credential of n8n's Crypto node
 */
export const chain = (path: string, secret: Credential): WorkflowNode[] => [
	webhook(path, { rawBody: true }),
	hmac(secret),
	compare,
];
