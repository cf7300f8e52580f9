import { randomUUID } from 'node:crypto';
import { packageName } from '../../n8n/pack';
import type { Credential, WorkflowNode } from '../../n8n/rest';
import { reference } from '../../n8n/workflows';
import { chain, webhook } from './chain';
import { BASELINE, UNCACHED } from './packages';

export type ContenderName =
	'ours' | 'uncached' | 'baseline' | 'baselineWithCredential' | 'bare' | 'chain' | 'refuser';

/** A workflow in the comparison, with as few nodes as possible. */
export interface Contender {
	name: ContenderName;
	title: string;
	/** The path of the production webhook. */
	path: string;
	nodes: WorkflowNode[];
}

type Workflow = Pick<Contender, 'path' | 'nodes'>;

/** This node runs in the chain only if the signature is valid. */
export const LAST_NODE = 'Accepted';

const noOp: WorkflowNode = {
	name: LAST_NODE,
	type: 'n8n-nodes-base.noOp',
	typeVersion: 1,
	parameters: {},
};

/** A workflow with a community trigger, whose path contains its webhook ID. */
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
	uncached: 'This package’s trigger without its credential cache',
	baseline: 'A community trigger that does nothing',
	baselineWithCredential: 'The same with a credential',
	bare: 'Webhook node without a check',
	chain: 'Webhook → Crypto → If',
	refuser: 'A community trigger that refuses everything',
};

/**
 * @param platform the credential of this package
 * @param secret a credential of n8n's Crypto node with the same secret
 */
export function contenders(platform: Credential, secret: Credential): Contender[] {
	const workflows: Record<ContenderName, Workflow> = {
		ours: community(`${packageName}.socialOpenPlatformTrigger`, platform),
		uncached: community(`${UNCACHED}.socialOpenPlatformTrigger`, platform),
		baseline: community(`${BASELINE}.benchBaselineTrigger`),
		baselineWithCredential: community(`${BASELINE}.benchBaselineTrigger`, platform),
		bare: core('bench-bare', [webhook('bench-bare', {})]),
		chain: core('bench-chain', chain('bench-chain', secret)),
		refuser: community(`${BASELINE}.benchRefusalTrigger`, platform),
	};
	const names = Object.keys(workflows) as ContenderName[];
	return names.map((name) => ({ name, title: titles[name], ...workflows[name] }));
}
