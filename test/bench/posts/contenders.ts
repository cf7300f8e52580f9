import { pathOf } from '../../emulator';
import { DEFAULTS } from '../../emulator/options';
import { ITEMS_PACKAGE } from '../communityPackage';
import type { Credential, Workflow, WorkflowNode } from '../../n8n/rest';
import { post, reference, row } from '../../n8n/workflows';

/** A way to post: a workflow, or a number of connections without n8n. */
export interface Contender {
	title: string;
	/** The nodes after the trigger. */
	nodes?: (credential: Credential, url: string) => WorkflowNode[];
	/** Whether the first node is a loop over the second one. */
	loop?: boolean;
	connections?: number;
	/** Posts nothing. */
	isIdle?: boolean;
}

const ours = (maxConcurrentRequests: number): Contender => ({
	title: `This node, ${maxConcurrentRequests} connections`,
	nodes: (credential) => [
		post(credential, {
			text: '={{ $json.text }}',
			mediaUrls: ['={{ $json.picture }}'],
			options: { maxConcurrentRequests },
		}),
	],
});

/** The HTTP Request node with its default form of a body, and as many expressions as this package's node. */
const httpRequest = (credential: Credential, url: string): WorkflowNode => ({
	name: 'HTTP Request',
	type: 'n8n-nodes-base.httpRequest',
	typeVersion: 4.5,
	credentials: reference(credential),
	parameters: {
		method: 'POST',
		url: url + pathOf('createPost', DEFAULTS.platformName),
		authentication: 'predefinedCredentialType',
		nodeCredentialType: credential.type,
		sendBody: true,
		contentType: 'json',
		specifyBody: 'keypair',
		bodyParameters: {
			parameters: [
				{ name: 'social_account_id', value: 'acc_1' },
				{ name: 'type', value: 'POST' },
				{ name: 'text', value: '={{ $json.text }}' },
				{ name: 'media_urls', value: '={{ [$json.picture] }}' },
			],
		},
		options: {},
	},
});

const core = (name: string, type: string, typeVersion: number, parameters = {}): WorkflowNode => ({
	...{ name, type: `n8n-nodes-base.${type}`, typeVersion, parameters },
});

const baseline = (connections: number): Contender => ({
	title: `Baseline, ${connections} connections`,
	connections,
});

export const contenders = {
	ours5: ours(5),
	ours10: ours(10),
	ours20: ours(20),
	ours50: ours(50),
	http: {
		title: 'HTTP Request',
		nodes: (credential: Credential, url: string) => [httpRequest(credential, url)],
	},
	loop10: {
		title: 'Loop Over Items (10), HTTP Request',
		nodes: (credential: Credential, url: string) => [
			core('Loop Over Items', 'splitInBatches', 3, { batchSize: 10, options: {} }),
			httpRequest(credential, url),
		],
		loop: true,
	},
	nothing: {
		title: 'A node that does nothing',
		nodes: () => [core('Nothing', 'noOp', 1)],
		isIdle: true,
	},
	baseline5: baseline(5),
	baseline10: baseline(10),
} satisfies Record<string, Contender>;

export type ContenderName = keyof typeof contenders;

/** The workflow of a contender, which starts with the items of a request. */
export function workflowOf(
	{ title, nodes, loop }: Contender,
	webhookId: string,
	url: string,
	credential: Credential,
): Workflow {
	const type = `${ITEMS_PACKAGE}.benchItemsTrigger`;
	const trigger = { name: 'Items', type, typeVersion: 2, webhookId, parameters: {} };
	const workflow = row(title, trigger, ...nodes!(credential, url));
	if (!loop) return workflow;
	const [, first, second] = workflow.nodes.map(({ name }) => name) as [string, string, string];
	const to = (node: string) => [{ node, type: 'main', index: 0 }];
	const connections = {
		...workflow.connections,
		[first]: { main: [[], to(second)] },
		[second]: { main: [to(first)] },
	};
	return { ...workflow, connections };
}
