/** The parameters that n8n sets to their defaults in a chat operation. */
export const chatDefaults = {
	...{ outputFormat: 'text', schemaName: 'answer', strictSchema: false, options: {} },
};
