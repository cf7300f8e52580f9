type Check = (value: unknown) => boolean;

const NAME = /^[\w-]{1,64}$/;

const isObject = (value: unknown): value is Record<string, unknown> =>
	value !== null && typeof value === 'object' && !Array.isArray(value);

const limit: Check = (value) => Number.isInteger(value) && Number(value) >= 1;
const named: Check = (value) =>
	isObject(value) && typeof value.name === 'string' && NAME.test(value.name);

/** Whether an output format is valid. Its schema is in the format itself or in `json_schema`. */
const format: Check = (value) => {
	if (!isObject(value)) return false;
	if (value.type !== 'json_schema') return value.type === 'text' || value.type === 'json_object';
	const schema = value.json_schema ?? value;
	return named(schema) && isObject((schema as { schema?: unknown }).schema);
};

const tool: Check = (value) =>
	isObject(value) && (value.type !== 'function' || named(value.function ?? value));

const CHECKS: Record<string, [check: Check, expected: string]> = {
	temperature: [
		(value) => typeof value === 'number' && value >= 0 && value <= 2,
		'a number from 0 to 2',
	],
	max_tokens: [limit, 'a whole number of at least 1'],
	max_completion_tokens: [limit, 'a whole number of at least 1'],
	max_output_tokens: [limit, 'a whole number of at least 1'],
	stream: [(value) => typeof value === 'boolean', 'a boolean'],
	instructions: [(value) => typeof value === 'string', 'a string'],
	tools: [
		(value) => Array.isArray(value) && value.every(tool),
		'a list of tools; a function has a name of up to 64 letters, digits, _ and -',
	],
	response_format: [format, 'text, json_object, or json_schema with a name and a schema'],
	text: [
		(value) => isObject(value) && (value.format === undefined || format(value.format)),
		'a format: text, json_object, or json_schema with a name and a schema',
	],
};

/** Returns an issue of the first invalid field of a chat request. Fields may be absent or null. */
export function brokenField(body: Record<string, unknown>): string | undefined {
	for (const [name, [check, expected]] of Object.entries(CHECKS)) {
		const value = body[name] ?? undefined;
		if (value !== undefined && !check(value)) return `Invalid '${name}': expected ${expected}`;
	}
	if (body.stream_options != null && body.stream !== true) {
		return "The 'stream_options' parameter is only allowed when 'stream' is enabled";
	}
	return undefined;
}
