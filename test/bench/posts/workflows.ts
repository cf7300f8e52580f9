import { pathOf } from '../../emulator';
import { DEFAULTS } from '../../emulator/options';
import { ITEMS_PACKAGE } from '../../n8n/communityPackage';
import type { Credential, Workflow, WorkflowNode } from '../../n8n/rest';
import { post, row } from '../../n8n/workflows';
import { type WorkflowName, connectionLimits } from './contenders';
import { batching, httpRequest, loopOverItems, ONE_EXPRESSION } from './httpRequest';

const trigger = (webhookId: string): WorkflowNode => ({
	name: 'Items',
	type: `${ITEMS_PACKAGE}.benchItemsTrigger`,
	typeVersion: 2,
	webhookId,
	parameters: {},
});

const noOp: WorkflowNode = {
	name: 'Nothing',
	type: 'n8n-nodes-base.noOp',
	typeVersion: 1,
	parameters: {},
};

const ours = (credential: Credential, maxConcurrentRequests: number): WorkflowNode =>
	post(credential, {
		text: '={{ $json.text }}',
		mediaUrls: ['={{ $json.picture }}'],
		options: { maxConcurrentRequests },
	});

/** A workflow with a loop over a node. */
function looped(
	name: string,
	start: WorkflowNode,
	loop: WorkflowNode,
	node: WorkflowNode,
): Workflow {
	const to = ({ name: target }: WorkflowNode) => [{ node: target, type: 'main', index: 0 }];
	const connections = {
		[start.name]: { main: [to(loop)] },
		[loop.name]: { main: [[], to(node)] },
		[node.name]: { main: [to(loop)] },
	};
	return { ...row(name, start, loop, node), connections };
}

/**
 * The workflow of a contender, with as few nodes as possible.
 *
 * @param webhookId the first part of the webhook's path
 * @param platformUrl the Base URL of the credential
 */
export function workflowOf(
	name: WorkflowName,
	webhookId: string,
	platformUrl: string,
	credential: Credential,
): Workflow {
	const start = trigger(webhookId);
	const url = platformUrl + pathOf('createPost', DEFAULTS.platformName);
	const http = (options?: Record<string, unknown>, body?: Record<string, unknown>) =>
		httpRequest(credential, url, options, body);
	const title = `bench ${name}`;
	const workflows: Record<WorkflowName, () => Workflow> = {
		ours5: () => row(title, start, ours(credential, connectionLimits.ours5)),
		ours10: () => row(title, start, ours(credential, connectionLimits.ours10)),
		ready5: () => row(title, start, ours(credential, connectionLimits.ready5)),
		ready10: () => row(title, start, ours(credential, connectionLimits.ready10)),
		ready20: () => row(title, start, ours(credential, connectionLimits.ready20)),
		ready50: () => row(title, start, ours(credential, connectionLimits.ready50)),
		plain: () => row(title, start, http()),
		json: () => row(title, start, http({}, ONE_EXPRESSION)),
		batched: () => row(title, start, http(batching(10, 0))),
		spaced: () => row(title, start, http(batching(10, 1_000))),
		loop5: () => looped(title, start, loopOverItems(5), http()),
		loop10: () => looped(title, start, loopOverItems(10), http()),
		host: () => row(title, start, noOp),
	};
	return workflows[name]();
}
