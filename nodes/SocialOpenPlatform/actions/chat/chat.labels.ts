/** Labels of the fields, as the node's panel shows them, by the names of their parameters. */
export const labels = {
	model: 'Model',
	specifyMessages: 'Specify Messages',
	messages: 'Messages',
	messagesJson: 'Messages (JSON)',
	instructions: 'Instructions',
	specifyInput: 'Specify Input',
	input: 'Input',
	inputJson: 'Input (JSON)',
	options: 'Options',
	outputFormat: 'Output Format',
	jsonSchema: 'JSON Schema',
	schemaName: 'Schema Name',
	strictSchema: 'Strict Schema',
	additionalBodyFields: 'Other Fields (JSON)',
	allowIncomplete: 'Allow Incomplete Answers',
	fullResponse: 'Include Full Response',
	maxConcurrentRequests: 'Max Concurrent Requests',
	maxTokens: 'Max Tokens',
	minimumInterval: 'Minimum Interval (Seconds)',
	temperature: 'Temperature',
	timeout: 'Timeout (Seconds)',
	rateLimitWait: 'Wait for Rate Limits (Seconds)',
};

export type LabelledField = keyof typeof labels;
