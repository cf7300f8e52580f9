const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

/** Collects garbage, so that a measurement of memory does not depend on the one before. */
function collectGarbage() {
	setFlagsFromString('--expose-gc');
	runInNewContext('gc')();
}

/**
 * Starts the workflow with the items of the body, and responds when the workflow has ended. Polling
 * n8n for the end would take CPU time.
 */
class BenchItemsTrigger {
	description = {
		displayName: 'Bench Items Trigger',
		name: 'benchItemsTrigger',
		group: ['trigger'],
		// Since version 2, n8n reads the body without evaluating an expression first.
		version: 2,
		description: 'Starts the workflow with the items of the body',
		defaults: { name: 'Bench Items Trigger' },
		inputs: [],
		outputs: ['main'],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'lastNode',
				responseData: 'noData',
				path: 'webhook',
			},
		],
		properties: [],
	};

	webhookMethods = {
		default: {
			checkExists: async () => true,
			create: async () => true,
			delete: async () => true,
		},
	};

	async webhook() {
		const { items } = this.getBodyData();
		if (items) return { workflowData: [items.map((json) => ({ json }))] };
		collectGarbage();
		this.getResponseObject().status(200).json({ collected: true });
		return { noWebhookResponse: true };
	}
}

module.exports = { BenchItemsTrigger };
