/**
 * The host's own floor: a community trigger that does nothing but hand the parsed body on. What it
 * costs, n8n charges to every community trigger.
 */
class BenchFloorTrigger {
	description = {
		displayName: 'Bench Floor Trigger',
		name: 'benchFloorTrigger',
		group: ['trigger'],
		// From 2 on, n8n reads the body without evaluating an expression first.
		version: 2,
		description: 'Starts the workflow with the parsed body',
		defaults: { name: 'Bench Floor Trigger' },
		inputs: [],
		outputs: ['main'],
		// Never read here, but n8n checks one that is selected before each execution.
		credentials: [{ name: 'socialOpenPlatformApi', required: false }],
		webhooks: [
			{
				name: 'default',
				httpMethod: 'POST',
				responseMode: 'onReceived',
				responseData: '',
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
		return { webhookResponse: { ok: true }, workflowData: [[{ json: this.getBodyData() }]] };
	}
}

module.exports = { BenchFloorTrigger };
