import 'reflect-metadata';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'engine-'));
process.env.N8N_ENCRYPTION_KEY = 'engine-tests-only';

import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	NodeHelpers,
	Workflow,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type IRun,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { SocialOpenPlatform } from '../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { CredentialStore } from './credentialStore';
import { passThrough } from './passThrough.node';

const types: Record<string, INodeType> = {
	'n8n-nodes-social-open-platform.socialOpenPlatform': new SocialOpenPlatform(),
	'test.passThrough': passThrough,
};

const nodeTypes: INodeTypes = {
	getByName: (name) => types[name]!,
	getByNameAndVersion: (name) => NodeHelpers.getVersionedNodeType(types[name]!),
	getKnownTypes: () => ({}),
};

export interface NodeRun {
	parameters: IDataObject;
	/** Input items; one empty item when absent. */
	items?: IDataObject[];
	store: CredentialStore;
	credentialId?: string;
	timezone?: string;
	onError?: INode['onError'];
}

export interface NodeResult {
	run: IRun;
	/** Items by output: [success] or [success, error]. */
	outputs: INodeExecutionData[][];
	/** What n8n shows when the node failed. */
	error?: { message: string; description?: string; context: IDataObject };
}

/** Runs the node in n8n's own engine, in this process: Items → Post, one execution. */
export async function runNode(options: NodeRun): Promise<NodeResult> {
	const { parameters, items = [{}], store, credentialId = '1', onError } = options;
	const nodes: INode[] = [
		node('Items', 'test.passThrough', {}),
		{
			...node('Post', 'n8n-nodes-social-open-platform.socialOpenPlatform', parameters),
			credentials: { socialOpenPlatformApi: { id: credentialId, name: 'Platform' } },
			onError,
		},
	];
	const workflow = new Workflow({
		id: '1',
		nodes,
		connections: { Items: { main: [[{ node: 'Post', type: 'main', index: 0 }]] } },
		active: false,
		nodeTypes,
		settings: { timezone: options.timezone ?? 'Europe/Berlin', executionOrder: 'v1' },
	});
	const additionalData = {
		credentialsHelper: store,
		hooks: new ExecutionLifecycleHooks('manual', '1', workflow as never),
		executionId: '1',
		webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
		formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
		variables: {},
		setExecutionStatus() {},
		logAiEvent() {},
	} as unknown as IWorkflowExecuteAdditionalData;
	const run = await new WorkflowExecute(additionalData, 'manual').run({
		workflow,
		startNode: workflow.getNode('Items')!,
		pinData: { Items: items.map((json) => ({ json })) },
	});
	const data = run.data.resultData.runData.Post?.[0];
	return {
		run,
		outputs: (data?.data?.main ?? []).map((output) => output ?? []),
		error: (data?.error ?? run.data.resultData.error) as unknown as NodeResult['error'],
	};
}

function node(name: string, type: string, parameters: IDataObject): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters } as INode;
}
