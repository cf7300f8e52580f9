import { z } from 'zod/v4';
import { FieldReader } from '../../parameters/fieldReader';
import type { ParameterReader } from '../../parameters/parameterReader';
import type { Remark } from '../../parameters/parameterError';
import { isNothing, toFlag, toJson, toText } from '../../parameters/values';
import { notText } from '../../protocol/notText';
import { labels, type LabelledField } from './chat.labels';
import { optionsSchema, type ChatOptions } from './chat.options';

/** What both operations send, and how: one item's parameters, checked. */
export interface ChatFields {
	model: string | undefined;
	/** In the words of `POST /v1/responses`; undefined for plain text. */
	format: JsonFormat | undefined;
	options: ChatOptions;
	/** Of the body, by the user. */
	more: Record<string, unknown>;
}

export type JsonFormat =
	| { type: 'json_object' }
	| { type: 'json_schema'; name: string; schema: Record<string, unknown>; strict: boolean };

/** A request of one item; with problems, as much of it as could be read. */
export interface PreparedChat {
	body: Record<string, unknown>;
	options: ChatOptions;
	/** Whether the answer has to be JSON. */
	isJson: boolean;
	/** Nothing may be sent while there are any. */
	problems: Remark[];
}

const words = z
	.string({ error: ({ input }) => notText(input) })
	.refine((value) => value.isWellFormed(), 'holds half of a character (a lone surrogate)');

/** Without a content, a message may still call a tool, refuse, or be heard. */
const speaks = (message: object) =>
	['tool_calls', 'function_call', 'refusal', 'audio'].some((name) => name in message);

/** @param nothing what is said of a message that says nothing, and calls nothing */
const messages = (nothing: string) =>
	z
		.array(
			z.looseObject({ role: z.string("has no 'role' that is text") }, 'is not a message object'),
			'is not a JSON list of messages like [{"role": "user", "content": "Hello"}]',
		)
		.min(1, 'is empty')
		.refine((all) => all.every((one) => !isNothing(one.content) || speaks(one)), nothing);

const items = z
	.array(z.looseObject({}, 'is not an object'), 'is not a JSON list of input items')
	.min(1, 'is empty');

const schemaName = words.regex(/^[\w-]{1,64}$/, 'may hold letters, digits, - and _ only');
const jsonSchema = z.record(z.string(), z.unknown(), 'is not a JSON object');

/** One reading of one item's parameters of a chat operation; nobody else reads them. */
export class ChatReader extends FieldReader<LabelledField> {
	constructor(
		private readonly parameter: ParameterReader,
		private readonly itemIndex: number,
	) {
		super(labels);
	}

	private raw(name: LabelledField, fallback: unknown): unknown {
		return this.parameter(name, this.itemIndex, fallback);
	}

	/** @param taken names on the wire that a field fills */
	fields(taken: readonly string[]): ChatFields {
		const given = this.raw('options', {});
		const options = this.takeOptions(optionsSchema, given) ?? optionsSchema.parse({});
		const { additionalBodyFields } = { ...(given as Partial<ChatOptions> | null) };
		const more = this.takeFree('additionalBodyFields', additionalBodyFields, taken);
		if ('stream' in more) {
			this.problem('additionalBodyFields', "holds 'stream', but an item takes the answer whole");
		}
		return {
			model: this.take('model', words, toText(this.raw('model', ''))),
			format: this.format(),
			options,
			more,
		};
	}

	/** As rows or as JSON. */
	messages(): unknown {
		if (this.choice('specifyMessages', ['fields', 'json']) === 'json') {
			return this.take(
				'messagesJson',
				messages(SAYS_NOTHING),
				toJson(this.raw('messagesJson', '')),
			);
		}
		const { message } = (this.raw('messages', {}) ?? {}) as { message?: unknown };
		const rows = [message ?? []].flat() as unknown[];
		return this.take('messages', messages(NO_CONTENT), rows.map(withText));
	}

	input(): unknown {
		if (this.choice('specifyInput', ['text', 'json']) === 'json') {
			return this.take('inputJson', items, toJson(this.raw('inputJson', '')));
		}
		return this.take('input', words, toText(this.raw('input', '')));
	}

	instructions(): string | undefined {
		return this.take('instructions', words.optional(), toText(this.raw('instructions', '')));
	}

	private choice<T extends string>(field: LabelledField, values: readonly [T, ...T[]]): T {
		const chosen = this.raw(field, values[0]) as T;
		if (values.includes(chosen)) return chosen;
		this.problem(field, `is none of ${values.map((value) => `'${value}'`).join(', ')}`);
		return values[0];
	}

	private format(): JsonFormat | undefined {
		const type = this.choice('outputFormat', ['text', 'json_object', 'json_schema']);
		if (type === 'text') return undefined;
		if (type === 'json_object') return { type };
		const name = this.take('schemaName', schemaName, this.raw('schemaName', 'answer')) ?? '';
		const schema = this.take('jsonSchema', jsonSchema, toJson(this.raw('jsonSchema', ''))) ?? {};
		const strict = this.take(
			'strictSchema',
			z.boolean('is neither true nor false'),
			toFlag(this.raw('strictSchema', false)),
		);
		return { type, name, schema, strict: strict === true };
	}
}

const NO_CONTENT = 'holds a row without Content; fill it in or remove the row';

const SAYS_NOTHING = "holds a message without 'content'; fill it in or remove the message";

function withText(row: unknown): unknown {
	return typeof row === 'object' && row !== null && 'content' in row
		? { ...row, content: toText(row.content) }
		: row;
}
