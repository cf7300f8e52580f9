import { randomUUID } from 'node:crypto';
import { packageName } from '../../n8n/pack';
import type { Credential, WorkflowNode } from '../../n8n/rest';
import { reference } from '../../n8n/workflows';
import { chain, webhook } from './chain';
import { FLOOR, UNCACHED } from './packages';

/** The workflows that are compared, each as short as it can be: what starts it, and one node after. */

export type ContenderName =
	'ours' | 'uncached' | 'floor' | 'floorWithCredential' | 'bare' | 'chain' | 'refuser';

export interface Contender {
	name: ContenderName;
	title: string;
	/** Where the production webhook listens. */
	path: string;
	nodes: WorkflowNode[];
}

type Workflow = Pick<Contender, 'path' | 'nodes'>;

/** Runs in the chain only where the signature is right. */
export const LAST_NODE = 'Accepted';

const noOp: WorkflowNode = {
	name: LAST_NODE,
	type: 'n8n-nodes-base.noOp',
	typeVersion: 1,
	parameters: {},
};

/** A community trigger listens below the id of its webhook. */
function community(type: string, credential?: Credential): Workflow {
	const webhookId = randomUUID();
	const credentials = credential && reference(credential);
	const trigger = { name: 'Trigger', type, typeVersion: 2, webhookId, credentials, parameters: {} };
	return { path: `/webhook/${webhookId}/webhook`, nodes: [trigger, noOp] };
}

function core(path: string, nodes: WorkflowNode[]): Workflow {
	return { path: `/webhook/${path}`, nodes: [...nodes, noOp] };
}

const titles: Record<ContenderName, string> = {
	ours: 'This package’s trigger',
	uncached: 'This package’s, reading the credential each time',
	floor: 'A community trigger that does nothing',
	floorWithCredential: 'The same, with a credential selected',
	bare: 'Webhook node, nothing checked',
	chain: 'Webhook → Crypto → If, built by hand',
	refuser: 'A community trigger that refuses everything',
};

/**
 * @param platform the platform's credential of this package
 * @param secret the same secret as a credential of n8n's Crypto node
 */
export function contenders(platform: Credential, secret: Credential): Contender[] {
	const workflows: Record<ContenderName, Workflow> = {
		ours: community(`${packageName}.socialOpenPlatformTrigger`, platform),
		uncached: community(`${UNCACHED}.socialOpenPlatformTrigger`, platform),
		floor: community(`${FLOOR}.benchFloorTrigger`),
		floorWithCredential: community(`${FLOOR}.benchFloorTrigger`, platform),
		bare: core('bench-bare', [webhook('bench-bare', {})]),
		chain: core('bench-chain', chain('bench-chain', secret)),
		refuser: community(`${FLOOR}.benchRefusalTrigger`, platform),
	};
	const names = Object.keys(workflows) as ContenderName[];
	return names.map((name) => ({ name, title: titles[name], ...workflows[name] }));
}
