import type { INodeType, INodeTypeDescription } from 'n8n-workflow';

/** Returns the description of a node that only tests use. */
export const describeNode = (
	displayName: string,
	more: Partial<INodeTypeDescription> = {},
): INodeTypeDescription => ({
	...{ displayName, name: displayName, description: '', defaults: {}, group: [], version: 1 },
	...{ inputs: ['main'], outputs: ['main'], properties: [] },
	...more,
});

/** A node that outputs its input. Tests pin their items to it. */
export const passThrough: INodeType = {
	description: describeNode('Pass Through'),
	async execute() {
		return [this.getInputData()];
	},
};
