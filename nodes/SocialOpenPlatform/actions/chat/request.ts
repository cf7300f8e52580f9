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
	isJson: boolean;
	/** Issues of the item. The request is sent only if there are none. */
	problems: Issue[];
}

/** The format of a JSON reply, as `POST /v1/responses` expects it. */
type JsonFormat =
	{ type: 'json_object' } | { type: 'json_schema'; name?: string; schema: object; strict: boolean };

/** Fields of the body that *Other Fields (JSON)* must not contain. */
const completionFields = ['model', 'messages', 'response_format', 'temperature', 'max_tokens'];
const responseFields = [
	'model',
	'input',
	'instructions',
	'text',
	'temperature',
	'max_output_tokens',
];

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

const schemas = {
	model: text,
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
type Draft = Partial<Record<Field, unknown>>;

/** Creates the body of `POST /v1/chat/completions`. It never throws; issues are in the result. */
export function prepareCompletion(parameter: ParameterReader, itemIndex: number): PreparedChat {
	const chat = new ChatParameters(parameter, itemIndex);
	const isJson = chat.choice('specifyMessages', ['fields', 'json']) === 'json';
	const { model, format, options, more, fields } = chat.parseChat(
		isJson
			? { messagesJson: toJson(chat.read('messagesJson', '')) }
			: { messages: messageRows(chat.read('messages', {})) },
		completionFields,
	);
	const body = {
		model,
		messages: fields.messages ?? fields.messagesJson,
		response_format: responseFormat(format),
		temperature: options.temperature,
		max_tokens: options.maxTokens,
		...more,
	};
	return { body, options, isJson: format !== undefined, problems: chat.problems };
}

/** Creates the body of `POST /v1/responses`. It never throws; issues are in the result. */
export function prepareResponse(parameter: ParameterReader, itemIndex: number): PreparedChat {
	const chat = new ChatParameters(parameter, itemIndex);
	const isJson = chat.choice('specifyInput', ['text', 'json']) === 'json';
	const instructions = toText(chat.read('instructions', ''));
	const { model, format, options, more, fields } = chat.parseChat(
		isJson
			? { instructions, inputJson: toJson(chat.read('inputJson', '')) }
			: { instructions, input: toText(chat.read('input', '')) },
		responseFields,
	);
	const body = {
		model,
		instructions: fields.instructions,
		input: fields.input ?? fields.inputJson,
		text: format && { format },
		temperature: options.temperature,
		max_output_tokens: options.maxTokens,
		...more,
	};
	return { body, options, isJson: format !== undefined, problems: chat.problems };
}

/**
 * `POST /v1/chat/completions` expects the JSON schema one level deeper than `POST /v1/responses`.
 */
function responseFormat(format: JsonFormat | undefined): object | undefined {
	if (format?.type !== 'json_schema') return format;
	const { type, ...schema } = format;
	return { type, json_schema: schema };
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

/** The parameters of one item of a chat operation. */
class ChatParameters extends Issues<LabelledField> {
	constructor(
		private readonly parameter: ParameterReader,
		private readonly itemIndex: number,
	) {
		super(labels);
	}

	read(name: LabelledField, fallback: unknown): unknown {
		return this.parameter(name, this.itemIndex, fallback);
	}

	choice<T extends string>(field: LabelledField, values: readonly [T, ...T[]]): T {
		const chosen = this.read(field, values[0]) as T;
		if (values.includes(chosen)) return chosen;
		this.problem(field, `must be one of ${values.map((value) => `'${value}'`).join(', ')}`);
		return values[0];
	}

	/**
	 * Reads and checks the parameters of an item.
	 *
	 * @param own the values of the parameters that only this operation has
	 * @param taken names that *Other Fields (JSON)* must not contain
	 */
	parseChat(own: Draft, taken: readonly string[]) {
		const given = this.read('options', {});
		const options = this.parseOptions(optionsSchema, given);
		const otherFields = (given as Partial<ChatOptions> | null)?.additionalBodyFields;
		const more = this.parseOtherFields('additionalBodyFields', otherFields, taken);
		if ('stream' in more) {
			this.problem(
				'additionalBodyFields',
				"contains 'stream', but this operation does not support streaming",
			);
		}
		const type = this.choice('outputFormat', ['text', 'json_object', 'json_schema']);
		const fields = this.parseFields({
			model: toText(this.read('model', '')),
			...own,
			...(type === 'json_schema' && {
				schemaName: this.read('schemaName', 'answer'),
				jsonSchema: toJson(this.read('jsonSchema', '')),
				strictSchema: toFlag(this.read('strictSchema', false)),
			}),
		});
		return { model: fields.model, options, more, fields, format: formatOf(type, fields) };
	}

	private parseFields(draft: Draft): { [F in Field]?: z.infer<(typeof schemas)[F]> } {
		const names = Object.keys(draft) as Field[];
		const schema = z.object(Object.fromEntries(names.map((name) => [name, schemas[name]])));
		const entries = names.map((name) => [name, isNothing(draft[name]) ? undefined : draft[name]]);
		return this.parse(schema, Object.fromEntries(entries) as Draft);
	}
}

function formatOf(
	type: 'text' | JsonFormat['type'],
	{ schemaName, jsonSchema = {}, strictSchema = false }: Draft,
): JsonFormat | undefined {
	if (type === 'text') return undefined;
	if (type === 'json_object') return { type };
	return {
		type,
		name: schemaName as string,
		schema: jsonSchema as object,
		strict: strictSchema as boolean,
	};
}
