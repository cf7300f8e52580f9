import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** n8n-core reads the name of its folder once per process. Another process uses the folder of its parent. */
const FOLDER = join(tmpdir(), 'engine-');
if (!process.env.N8N_USER_FOLDER?.startsWith(FOLDER)) {
	const userFolder = mkdtempSync(FOLDER);
	process.env.N8N_USER_FOLDER = userFolder;
	process.once('exit', () => rmSync(userFolder, { recursive: true, force: true }));
}
process.env.N8N_ENCRYPTION_KEY = 'engine-tests-only';

import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	NodeHelpers,
	Workflow,
	type IConnections,
	type IDataObject,
	type IExecuteContextData,
	type INode,
	type INodeType,
	type INodeTypes,
	type IPinData,
	type IRun,
	type IWorkflowExecuteAdditionalData,
	type IWorkflowSettings,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { SocialOpenPlatform } from '../../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { SocialOpenPlatformChatModel } from '../../../nodes/SocialOpenPlatform/SocialOpenPlatformChatModel.node';
import { agent } from './agent.node';
import { CredentialStore } from './credentialStore';
import { engineAgent } from './engineAgent.node';
import { passThrough } from './passThrough.node';
import { DeduplicationStore } from './deduplicationStore';
import { modelUser } from './modelUser.node';

export const NODE_TYPE = 'n8n-nodes-social-open-platform.socialOpenPlatform';

/** The nodes that workflows may contain, by their types. */
export const types: Record<string, INodeType> = {
	[NODE_TYPE]: new SocialOpenPlatform(),
	[`${NODE_TYPE}ChatModel`]: new SocialOpenPlatformChatModel(),
	[`${NODE_TYPE}Tool`]: asTool(new SocialOpenPlatform()),
	'test.agent': agent,
	'test.engineAgent': engineAgent,
	'test.passThrough': passThrough,
	'test.modelUser': modelUser,
};

export const nodeTypes: INodeTypes = {
	getByName: (name) => types[name]!,
	getByNameAndVersion: (name) => NodeHelpers.getVersionedNodeType(types[name]!),
	getKnownTypes: () => ({}),
};

/** Converts the node to a tool, as n8n does for agents. */
function asTool(type: SocialOpenPlatform): INodeType {
	Object.assign(type.description, { inputs: [], outputs: ['ai_tool'] });
	return type;
}

export interface Execution {
	/** The nodes, of which the first one starts the workflow. */
	nodes: INode[];
	connections: IConnections;
	pinData?: IPinData;
	store: CredentialStore;
	timezone?: string;
	/** The workflow's ID, or `null` if the workflow was never saved. */
	workflowId?: string | null;
	/** The context data of the execution that this one retries. */
	contextData?: IExecuteContextData;
	mode?: WorkflowExecuteMode;
	executionId?: string;
	/** Settings of the workflow. */
	workflowSettings?: IWorkflowSettings;
	/** Where n8n serves files. */
	restApiUrl?: string;
}

export interface RunningExecution {
	done: Promise<IRun>;
	/** Cancels the execution as a user does. */
	cancel: () => void;
	/** The current context data of the nodes. */
	contextData: IExecuteContextData;
}

/** Starts a workflow with n8n's engine in this process. */
export function start(execution: Execution): RunningExecution {
	const { nodes, connections, pinData, store, timezone, workflowId = '1' } = execution;
	const { mode = 'manual', executionId = '1' } = execution;
	void DeduplicationStore.install();
	const workflow = new Workflow({
		id: workflowId ?? undefined,
		nodes,
		connections,
		active: false,
		nodeTypes,
		settings: {
			timezone: timezone ?? 'Europe/Berlin',
			executionOrder: 'v1',
			...execution.workflowSettings,
		},
	});
	const additionalData = {
		credentialsHelper: store,
		hooks: new ExecutionLifecycleHooks(mode, executionId, workflow as never),
		executionId,
		currentNodeExecutionIndex: 0,
		webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
		formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
		restApiUrl: execution.restApiUrl ?? 'http://127.0.0.1/rest',
		variables: {},
		setExecutionStatus() {},
		logAiEvent() {},
	} as unknown as IWorkflowExecuteAdditionalData;
	const [first] = nodes;
	const data = createRunExecutionData({
		executionData: {
			contextData: structuredClone(execution.contextData ?? {}),
			nodeExecutionStack: [{ node: first!, data: { main: [[{ json: {} }]] }, source: null }],
		},
		resultData: { pinData },
	});
	const running = new WorkflowExecute(additionalData, mode, data).processRunExecutionData(workflow);
	return {
		done: Promise.resolve(running),
		cancel: () => running.cancel(),
		contextData: data.executionData!.contextData,
	};
}

export function node(name: string, type: string, parameters: IDataObject = {}): INode {
	return { id: name, name, type, typeVersion: 1, position: [0, 0], parameters } as INode;
}
