import type { INodeType } from 'n8n-workflow';

/** A node that outputs its input. Tests pin their items to it. */
export const passThrough: INodeType = {
	description: {
		displayName: 'Pass Through',
		name: 'passThrough',
		group: ['transform'],
		version: 1,
		description: 'Outputs its input',
		defaults: { name: 'Pass Through' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	},
	async execute() {
		return [this.getInputData()];
	},
};
