import { randomUUID } from 'node:crypto';
import { packageName } from '../../n8n/pack';
import type { Credential, WorkflowNode } from '../../n8n/rest';
import { reference } from '../../n8n/workflows';

/** A package with a trigger that does nothing. */
export const BASELINE = 'n8n-nodes-bench-baseline';

/** A workflow, and deliveries of one kind to it. */
export interface Contender {
	title: string;
	path: string;
	nodes: WorkflowNode[];
	/** Whether the deliveries are signed with another secret. */
	isForged?: boolean;
	/** The status of the response, and a part of its text. */
	response: [status: number, says: string];
}

const core = (name: string, type: string, typeVersion: number, parameters = {}): WorkflowNode => ({
	...{ name, type: `n8n-nodes-base.${type}`, typeVersion, parameters },
});

const noOp = core('Accepted', 'noOp', 1);

/** A workflow with a community trigger, whose path contains its webhook ID. */
function community(type: string, credential?: Credential): Pick<Contender, 'path' | 'nodes'> {
	const webhookId = randomUUID();
	const credentials = credential && reference(credential);
	const trigger = { name: 'Trigger', type, typeVersion: 2, webhookId, credentials, parameters: {} };
	return { path: `/webhook/${webhookId}/webhook`, nodes: [trigger, noOp] };
}

/** A workflow with n8n's Webhook node, which responds when the execution is stored, as the triggers do. */
function webhook(path: string, options: object, more: WorkflowNode[]) {
	const parameters = { httpMethod: 'POST', path, responseMode: 'onReceived', options };
	const trigger = { ...core('Webhook', 'webhook', 2, parameters), webhookId: randomUUID() };
	return { path: `/webhook/${path}`, nodes: [trigger, ...more, noOp] };
}

const isSigned = {
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
};

/**
 * @param platform the credential of this package
 * @param secret a credential of n8n's Crypto node with the same secret
 */
export function contendersWith(platform: Credential, secret: Credential) {
	const ours = `${packageName}.socialOpenPlatformTrigger`;
	const hmac = { action: 'hmac', binaryData: true, type: 'SHA256', dataPropertyName: 'digest' };
	// Users can check a signature in this way today. The raw body is signed, because serialized JSON may differ.
	const chain = [
		{ ...core('HMAC', 'crypto', 2, hmac), credentials: reference(secret) },
		core('Is It Signed?', 'if', 2.3, { conditions: isSigned }),
	];
	return {
		ours: {
			title: 'This trigger',
			...community(ours, platform),
			response: [200, '"result":"accepted"'],
		},
		forged: {
			title: 'This trigger, wrong signature',
			...community(ours, platform),
			isForged: true,
			response: [401, ''],
		},
		nothing: {
			title: 'A trigger that does nothing',
			...community(`${BASELINE}.benchBaselineTrigger`),
			response: [200, '"ok":true'],
		},
		webhook: {
			title: 'Webhook, unchecked',
			...webhook('bench-bare', {}, []),
			response: [200, 'Workflow was started'],
		},
		chain: {
			title: 'Webhook, Crypto, If',
			...webhook('bench-chain', { rawBody: true }, chain),
			response: [200, 'Workflow was started'],
		},
	} satisfies Record<string, Contender>;
}

export type ContenderName = keyof ReturnType<typeof contendersWith>;
