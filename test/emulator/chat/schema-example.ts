interface Schema {
	type?: string | string[];
	properties?: Record<string, Schema>;
	required?: string[];
	items?: Schema;
	enum?: unknown[];
	const?: unknown;
	anyOf?: Schema[];
	oneOf?: Schema[];
	minimum?: number;
	minItems?: number;
	$ref?: string;
	$defs?: Record<string, Schema>;
	definitions?: Record<string, Schema>;
}

/** Returns a value that matches a JSON schema, with its required properties and `text` as each string. */
export function schemaExample(schema: unknown, text: string, root = schema as Schema): unknown {
	const { type, enum: options, ...rest } = resolve(schema ?? {}, root);
	if (rest.const !== undefined) return rest.const;
	if (options) return options[0];
	const variant = rest.anyOf?.[0] ?? rest.oneOf?.[0];
	if (variant) return schemaExample(variant, text, root);
	switch (Array.isArray(type) ? type[0] : (type ?? (rest.properties ? 'object' : 'string'))) {
		case 'object':
			return Object.fromEntries(
				(rest.required ?? Object.keys(rest.properties ?? {})).map((name) => [
					name,
					schemaExample(rest.properties?.[name], text, root),
				]),
			);
		case 'array':
			return Array.from({ length: rest.minItems ?? 1 }, () =>
				schemaExample(rest.items, text, root),
			);
		case 'integer':
		case 'number':
			return rest.minimum ?? 1;
		case 'boolean':
			return true;
		case 'null':
			return null;
		default:
			return text;
	}
}

function resolve(schema: Schema, root: Schema): Schema {
	const name = schema.$ref?.split('/').pop();
	return name === undefined ? schema : (root.$defs?.[name] ?? root.definitions?.[name] ?? {});
}
