/** n8n sets these defaults in a chat operation. */
export const chatDefaults = {
	...{ outputFormat: 'text', schemaName: 'answer', strictSchema: false, options: {} },
};
