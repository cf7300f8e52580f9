/** Outputs the parsed body and does nothing else. Every community trigger has at least this cost in n8n. */
class BenchBaselineTrigger {
	description = {
		displayName: 'Bench Baseline Trigger',
		name: 'benchBaselineTrigger',
		group: ['trigger'],
		// Since version 2, n8n reads the body without evaluating an expression first.
		version: 2,
		description: 'Starts the workflow with the parsed body',
		defaults: { name: 'Bench Baseline Trigger' },
		inputs: [],
		outputs: ['main'],
		// The trigger does not use a credential, but n8n reads it before each execution.
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

module.exports = { BenchBaselineTrigger };
