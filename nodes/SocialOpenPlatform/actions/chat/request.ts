import { z } from 'zod/v4';
import { Issues } from '../../parameters/issues';
import type { ParameterReader } from '../../parameters/parameterReader';
import { isNothing, toFlag, toJson, toText } from '../../parameters/values';
import { notText, type Issue } from '../../protocol/issue';
import { labels, type LabelledField } from './fields';
import { optionsSchema, type ChatOptions } from './options';

/** The chat request of one item. If there are problems, `body` contains only the valid fields. */
export interface PreparedChat {
	body: Record<string, unknown>;
	options: ChatOptions;
	/** The format of a JSON reply. */
	format?: JsonFormat;
	/** Issues of the item. The request is sent only if there are none. */
	problems: Issue[];
}

/** The format of a JSON reply, as `POST /v1/responses` expects it. */
interface JsonFormat {
	type: 'json_object' | 'json_schema';
	schema?: unknown;
	[field: string]: unknown;
}

const text = z
	.string({ error: ({ input }) => notText(input) })
	.refine((value) => value.isWellFormed(), 'contains an incomplete character (a lone surrogate)');

/** Fields that a message may have in place of content. */
const otherContent = ['tool_calls', 'function_call', 'refusal', 'audio'];

/**
 * Returns the schema of a list of messages.
 *
 * @param empty the issue of a message without content
 */
const messageList = (empty: string) =>
	z
		.array(
			z.looseObject({ role: z.string("has no 'role' that is text") }, 'is not a message object'),
			'is not a JSON list of messages like [{"role": "user", "content": "Hello"}]',
		)
		.min(1, 'is empty')
		.refine((all) => all.every(hasContent), empty);

const outputFormats = ['text', 'json_object', 'json_schema'] as const;

const schemas = {
	model: text,
	outputFormat: z.enum(outputFormats, `must be one of '${outputFormats.join("', '")}'`),
	messages: messageList('contains a row without Content; fill it in or remove the row'),
	messagesJson: messageList(
		"contains a message without 'content'; fill it in or remove the message",
	),
	instructions: text.optional(),
	input: text,
	inputJson: z
		.array(z.looseObject({}, 'is not an object'), 'is not a JSON list of input items')
		.min(1, 'is empty'),
	schemaName: text.regex(/^[\w-]{1,64}$/, 'may contain only letters, digits, - and _'),
	jsonSchema: z.record(z.string(), z.unknown(), 'is not a JSON object'),
	strictSchema: z.boolean('must be true or false'),
};
type Field = keyof typeof schemas;
type Fields = { [F in Field]?: z.infer<(typeof schemas)[F]> };
type Draft = Partial<Record<Field, unknown>>;
type Reader = (name: LabelledField, fallback: unknown) => unknown;

/** Creates the body of `POST /v1/chat/completions`. It never throws; issues are in the result. */
export function prepareCompletion(parameter: ParameterReader, itemIndex: number): PreparedChat {
	const read: Reader = (name, fallback) => parameter(name, itemIndex, fallback);
	const isJson = read('specifyMessages', 'fields') === 'json';
	const own = isJson
		? { messagesJson: toJson(read('messagesJson', '')) }
		: { messages: messageRows(read('messages', {})) };
	return prepare(read, own, (fields, { temperature, maxTokens }, format) => ({
		model: fields.model,
		messages: fields.messages ?? fields.messagesJson,
		response_format: format && toResponseFormat(format),
		temperature,
		max_tokens: maxTokens,
	}));
}

/** Creates the body of `POST /v1/responses`. It never throws; issues are in the result. */
export function prepareResponse(parameter: ParameterReader, itemIndex: number): PreparedChat {
	const read: Reader = (name, fallback) => parameter(name, itemIndex, fallback);
	const isJson = read('specifyInput', 'text') === 'json';
	const own = {
		instructions: toText(read('instructions', '')),
		...(isJson
			? { inputJson: toJson(read('inputJson', '')) }
			: { input: toText(read('input', '')) }),
	};
	return prepare(read, own, (fields, { temperature, maxTokens }, format) => ({
		model: fields.model,
		instructions: fields.instructions,
		input: fields.input ?? fields.inputJson,
		text: format && { format },
		temperature,
		max_output_tokens: maxTokens,
	}));
}

/**
 * Reads and checks the parameters of an item.
 *
 * @param own the values of the parameters that only this operation has
 * @param bodyOf creates the body from the valid parameters
 */
function prepare(
	read: Reader,
	own: Draft,
	bodyOf: (fields: Fields, options: ChatOptions, format?: JsonFormat) => Record<string, unknown>,
): PreparedChat {
	const issues = new Issues(labels);
	const options = issues.parseOptions(optionsSchema, read('options', {}));
	const outputFormat = read('outputFormat', 'text');
	const draft: Draft = {
		model: toText(read('model', '')),
		...own,
		outputFormat,
		...(outputFormat === 'json_schema' && {
			schemaName: read('schemaName', 'answer'),
			jsonSchema: toJson(read('jsonSchema', '')),
			strictSchema: toFlag(read('strictSchema', false)),
		}),
	};
	const names = Object.keys(draft) as Field[];
	const schema = z.object(Object.fromEntries(names.map((name) => [name, schemas[name]])));
	const entries = names.map((name) => [name, isNothing(draft[name]) ? undefined : draft[name]]);
	const fields: Fields = issues.parse(schema, Object.fromEntries(entries) as Draft);
	const format = formatOf(fields);
	const body = bodyOf(fields, options, format);
	const { additionalBodyFields: given } = options;
	const more = issues.parseOtherFields('additionalBodyFields', given, Object.keys(body));
	if ('stream' in more) {
		issues.problem(
			'additionalBodyFields',
			"contains 'stream', but this operation does not support streaming",
		);
	}
	return { body: { ...body, ...more }, options, format, problems: issues.problems };
}

function formatOf({ outputFormat: type, ...fields }: Fields): JsonFormat | undefined {
	if (type !== 'json_schema') return type === 'json_object' ? { type } : undefined;
	const { schemaName: name, jsonSchema: schema, strictSchema: strict } = fields;
	return { type, name, schema, strict };
}

/**
 * `POST /v1/chat/completions` expects the JSON schema one level deeper than `POST /v1/responses`.
 */
function toResponseFormat({ type, ...schema }: JsonFormat): object {
	return type === 'json_schema' ? { type, json_schema: schema } : { type };
}

function hasContent(message: Record<string, unknown>): boolean {
	return !isNothing(message.content) || otherContent.some((name) => name in message);
}

function messageRows(value: unknown): unknown[] {
	const { message } = (value ?? {}) as { message?: unknown };
	const rows = [message ?? []].flat() as unknown[];
	return rows.map((row) =>
		typeof row === 'object' && row !== null && 'content' in row
			? { ...row, content: toText(row.content) }
			: row,
	);
}
