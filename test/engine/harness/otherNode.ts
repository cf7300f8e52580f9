import 'reflect-metadata';
import './execution';
import { HookContext } from 'n8n-core';
import {
	Workflow,
	type INode,
	type INodeTypes,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { SocialOpenPlatformTrigger } from '../../../nodes/SocialOpenPlatform/SocialOpenPlatformTrigger.node';
import type { CredentialStore } from './credentialStore';

/** The type of the package's credential. */
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

const trigger = new SocialOpenPlatformTrigger();
const nodeTypes: INodeTypes = {
	getByName: () => trigger,
	getByNameAndVersion: () => trigger,
	getKnownTypes: () => ({}),
};

/** Returns the context in which a node, such as HTTP Request, sends requests with credential 1 of a store. */
export function otherNodeContext(store: CredentialStore): HookContext {
	const node: INode = {
		...{ id: '1', name: 'Call', type: 'trigger', typeVersion: 2 },
		...{ position: [0, 0], parameters: {} },
		credentials: { [CREDENTIAL_TYPE]: { id: '1', name: 'Platform' } },
	};
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const data = { credentialsHelper: store, variables: {} };
	return new HookContext(
		workflow,
		node,
		data as unknown as IWorkflowExecuteAdditionalData,
		...(['trigger', 'activate'] as const),
	);
}
