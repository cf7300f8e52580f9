import type { INodeType } from 'n8n-workflow';

/** Outputs its input. Its pinned items start a workflow. */
export const passThrough: INodeType = {
	description: {
		displayName: 'Pass Through',
		name: 'passThrough',
		group: ['transform'],
		version: 1,
		description: 'Hands its input on',
		defaults: { name: 'Pass Through' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
	async execute() {
		return [this.getInputData()];
	},
};
