import { z } from 'zod/v4';
import { Issues } from '../../parameters/issues';
import type { ParameterReader } from '../../parameters/parameterReader';
import { isNothing, toFlag, toJson, toText } from '../../parameters/values';
import { notText, type Issue } from '../../protocol/issue';
import { labels, type LabelledField } from './fields';
import { optionsSchema, type ChatOptions } from './options';

/** The request of one item. With problems, `body` is as much of it as could be read. */
export interface PreparedChat {
	body: Record<string, unknown>;
	options: ChatOptions;
	/** Whether the answer has to be JSON. */
	isJson: boolean;
	/** With any of these, nothing may be sent. */
	problems: Issue[];
}

/** In the form of `POST /v1/responses`. */
type JsonFormat =
	{ type: 'json_object' } | { type: 'json_schema'; name?: string; schema: object; strict: boolean };

/** Fields of the body that have a field of the node's own. */
const completionNames = ['model', 'messages', 'response_format', 'temperature', 'max_tokens'];
const responseNames = [
	...['model', 'input', 'instructions', 'text', 'temperature', 'max_output_tokens'],
];

const text = z
	.string({ error: ({ input }) => notText(input) })
	.refine((value) => value.isWellFormed(), 'holds half of a character (a lone surrogate)');

/** A message without content may still call a tool, refuse, or contain audio. */
const hasOtherContent = (message: object) =>
	['tool_calls', 'function_call', 'refusal', 'audio'].some((name) => name in message);

/** @param empty the issue of a message without content */
const messages = (empty: string) =>
	z
		.array(
			z.looseObject({ role: z.string("has no 'role' that is text") }, 'is not a message object'),
			'is not a JSON list of messages like [{"role": "user", "content": "Hello"}]',
		)
		.min(1, 'is empty')
		.refine((all) => all.every((one) => !isNothing(one.content) || hasOtherContent(one)), empty);

const schemas = {
	model: text,
	messages: messages('holds a row without Content; fill it in or remove the row'),
	messagesJson: messages("holds a message without 'content'; fill it in or remove the message"),
	instructions: text.optional(),
	input: text,
	inputJson: z
		.array(z.looseObject({}, 'is not an object'), 'is not a JSON list of input items')
		.min(1, 'is empty'),
	schemaName: text.regex(/^[\w-]{1,64}$/, 'may hold letters, digits, - and _ only'),
	jsonSchema: z.record(z.string(), z.unknown(), 'is not a JSON object'),
	strictSchema: z.boolean('is neither true nor false'),
};
type Field = keyof typeof schemas;
type Draft = Partial<Record<Field, unknown>>;

/** The body of `POST /v1/chat/completions`. It throws nothing. */
export function prepareCompletion(parameter: ParameterReader, itemIndex: number): PreparedChat {
	const chat = new ChatParameters(parameter, itemIndex);
	const isJson = chat.choice('specifyMessages', ['fields', 'json']) === 'json';
	const { model, format, options, more, fields } = chat.parseChat(
		isJson
			? { messagesJson: toJson(chat.read('messagesJson', '')) }
			: { messages: messageRows(chat.read('messages', {})) },
		completionNames,
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

/** The body of `POST /v1/responses`. It throws nothing. */
export function prepareResponse(parameter: ParameterReader, itemIndex: number): PreparedChat {
	const chat = new ChatParameters(parameter, itemIndex);
	const isJson = chat.choice('specifyInput', ['text', 'json']) === 'json';
	const instructions = toText(chat.read('instructions', ''));
	const { model, format, options, more, fields } = chat.parseChat(
		isJson
			? { instructions, inputJson: toJson(chat.read('inputJson', '')) }
			: { instructions, input: toText(chat.read('input', '')) },
		responseNames,
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

/** The completions interface nests the description of a schema. */
function responseFormat(format: JsonFormat | undefined): object | undefined {
	if (format?.type !== 'json_schema') return format;
	const { type, ...description } = format;
	return { type, json_schema: description };
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
		this.problem(field, `is none of ${values.map((value) => `'${value}'`).join(', ')}`);
		return values[0];
	}

	/**
	 * Reads what both operations have in common.
	 *
	 * @param own the fields of the operation itself
	 * @param taken names in the request that have a field of their own
	 */
	parseChat(own: Draft, taken: readonly string[]) {
		const given = this.read('options', {});
		const options = this.parseOptions(optionsSchema, given);
		const { additionalBodyFields } = { ...(given as Partial<ChatOptions> | null) };
		const more = this.parseOtherFields('additionalBodyFields', additionalBodyFields, taken);
		if ('stream' in more) {
			this.problem('additionalBodyFields', "holds 'stream', but an item takes the answer whole");
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
