import '../harness/execution';
import { ExecuteContext, RoutingNode } from 'n8n-core';
import {
	createEmptyRunExecutionData,
	Workflow,
	type INode,
	type INodeType,
	type INodeTypes,
	type IWorkflowExecuteAdditionalData,
} from 'n8n-workflow';
import { SocialOpenPlatformApi } from '../../../credentials/SocialOpenPlatformApi.credentials';
import { describeNode } from '../harness/passThrough.node';
import type { Platform } from '../harness/platform';

const { name: type, test } = new SocialOpenPlatformApi();

/** The node that n8n creates for a credential test. It sends the credential's test request. */
const testNodeType: INodeType = {
	description: describeNode('Tested', {
		name: 'testNodeType',
		credentials: [{ name: type, required: true }],
		properties: [
			{
				...{ displayName: 'Temp', name: 'temp', type: 'string', default: '' },
				routing: { request: test.request },
			},
		],
	}),
};
const nodeTypes: INodeTypes = {
	getByName: () => testNodeType,
	getByNameAndVersion: () => testNodeType,
	getKnownTypes: () => ({}),
};

/**
 * Tests the stored credential as n8n's CredentialsTester does when it is saved.
 *
 * @returns the message that the editor shows below “Couldn’t connect with these settings”, or undefined
 * if the test succeeds
 */
export async function testCredential({ store, credential }: Platform): Promise<string | undefined> {
	const details = { id: '1', name: 'Platform' };
	const node: INode = {
		...{ id: 'temp', name: 'Temp-Node', type: 'testNodeType', typeVersion: 1, parameters: {} },
		...{ position: [0, 0], credentials: { [type]: details } },
	};
	const workflow = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });
	const more = { credentialsHelper: store } as unknown as IWorkflowExecuteAdditionalData;
	const input = { main: [[{ json: {} }]] };
	const data = createEmptyRunExecutionData();
	const begin = { node, data: {}, source: null };
	const context = new ExecuteContext(
		workflow,
		node,
		more,
		'internal',
		data,
		0,
		[],
		input,
		begin,
		[],
	);
	const decrypted = { ...details, type, data: structuredClone(credential) as never };
	try {
		await new RoutingNode(context, testNodeType, decrypted).runNode();
		return undefined;
	} catch (error) {
		const { message, cause } = error as Error & { cause?: { code?: string } };
		return cause?.code ?? message;
	}
}
