interface Schema {
	type?: string;
	properties?: Record<string, Schema>;
	required?: string[];
	items?: Schema;
	enum?: unknown[];
}

/** Returns a value that matches a simple JSON schema, with its required properties and `text` as each string. */
export function schemaExample(schema: Schema | undefined, text: string): unknown {
	const { type, properties, required, items, enum: options } = schema ?? {};
	if (options) return options[0];
	const names = required ?? Object.keys(properties ?? {});
	switch (type) {
		case 'object':
			return Object.fromEntries(
				names.map((name) => [name, schemaExample(properties?.[name], text)]),
			);
		case 'array':
			return [schemaExample(items, text)];
		case 'integer':
		case 'number':
			return 1;
		case 'boolean':
			return true;
		default:
			return text;
	}
}
