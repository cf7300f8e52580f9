import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import {
	checkFields,
	checkOptions,
	invalid,
	labelsOf,
	parameterReader,
	readOtherFields,
	type ParameterReader,
} from '../items/parameters';
import { describeRateLimits, nameOf, type Operation, type Run } from '../items/run';
import { text, toText } from '../items/values';
import type { Limiter } from '../platform/limiter';
import { lines, stopped, type Failed, type Outcome } from '../platform/outcome';
import { send } from '../platform/client';
import { openSession, type Session } from '../platform/session';
import type { PlatformOperation } from '../platform/settings';
import { CHAT_REQUEST, readChatResponse } from './response';
import {
	formatFields,
	formatSchemas,
	jsonSchemaSchemas,
	modelField,
	options as optionsField,
	optionsSchema,
} from './fields';
import { readJsonReply, readReply, whyIncomplete, type ChatJson } from './reply';

/** All chat requests of one run share these values. */
interface ChatRun extends Run {
	session: Session;
	limiter: Limiter;
	parameter: ParameterReader;
}

/** It is sent only if there are no issues. */
type ChatRequest = ReturnType<typeof prepareChat>;

/**
 * Creates the functions of a chat operation. A request publishes nothing, so its outcome is not
 * recorded and a retry sends it again.
 *
 * @param prepare reads the parameters of an item
 */
export const chatOperation = (
	operation: PlatformOperation,
	prepare: (parameter: ParameterReader, itemIndex: number) => ChatRequest,
): Operation => ({
	async begin(context, limiter): Promise<ChatRun | Failed> {
		const session = await openSession(context, CHAT_REQUEST);
		if ('failure' in session) return session;
		return {
			...{ session, limiter },
			parameter: parameterReader(context),
			summary: () => ({ text: describeRateLimits(limiter) }),
		};
	},
	async execute(context, itemIndex, run: ChatRun) {
		const chat = prepare(run.parameter, itemIndex);
		const { body, options, issues } = chat;
		const name = nameOf('chat request', itemIndex, context.getInputData().length);
		if (issues.length > 0) return invalid(name, issues);
		const { session, limiter } = run;
		for await (const attempt of limiter.attempts(itemIndex, options.rateLimitWait * 1000)) {
			const outcome = await send(session, {
				...{ operation, body, what: name ?? CHAT_REQUEST, read: readChatResponse },
				timeout: Math.ceil(options.timeout * 1000),
			});
			if (attempt.repeats(outcome)) continue;
			return outcome.kind === 'accepted' ? outputOf(chat, outcome.value) : outcome;
		}
		return stopped;
	},
});

/**
 * Reads and checks the parameters of an item.
 *
 * @param own the fields that only this operation has
 * @param schemas the schemas of those that are shown
 * @param toBody creates the request fields of this operation, without the model
 */
export function prepareChat(
	parameter: ParameterReader,
	itemIndex: number,
	own: INodeProperties[],
	schemas: z.ZodRawShape,
	toBody: (fields: ChatJson, options: z.infer<typeof optionsSchema>, format?: ChatJson) => ChatJson,
) {
	const read = (name: string) => parameter(name, itemIndex, undefined);
	const labels = labelsOf([modelField, ...own, ...formatFields, optionsField]);
	const { options, issues } = checkOptions(optionsSchema, read('options'), labels);
	const isSchema = read('outputFormat') === 'json_schema';
	const formats = isSchema ? jsonSchemaSchemas : formatSchemas;
	const shape = { ...formats, model: text, ...schemas };
	const given = Object.keys(shape).map((name) => [name, toText(read(name))] as const);
	const checked = checkFields(z.object(shape), Object.fromEntries(given), labels);
	const fields: ChatJson = checked.values;
	const { outputFormat: type, schemaName: name, jsonSchema: schema, strictSchema: strict } = fields;
	const format = type === 'text' ? undefined : { type, name, schema, strict };
	const body: ChatJson = { model: fields.model, ...toBody(fields, options, format) };
	// Other Fields (JSON) must not contain a name that the body has.
	const field = labels.additionalBodyFields!;
	const others = readOtherFields(options.additionalBodyFields, field, Object.keys(body));
	issues.push(...checked.issues, ...others.issues);
	if ('stream' in others.fields) {
		const message = "contains 'stream', but this operation does not support streaming";
		issues.push({ field, message });
	}
	return { body: { ...body, ...others.fields }, options, format, issues };
}

/**
 * Creates the output item of a reply. For an incomplete reply, the outcome is `incomplete` unless
 * the user allows such replies.
 */
function outputOf({ options, format }: ChatRequest, response: ChatJson): Outcome<object> {
	const reply = readReply(response);
	const { text, reasoning, finishReason, refusal, toolCalls, ...about } = reply;
	const isJson = format && toolCalls.length === 0;
	const json = isJson ? readJsonReply(text, format.schema) : undefined;
	const flaw = whyIncomplete(reply) ?? json?.flaw;
	const output = {
		text,
		...(reasoning && { reasoning }),
		...(json?.value && { json: json.value }),
		finish_reason: finishReason,
		...(toolCalls.length > 0 && { tool_calls: toolCalls }),
		...(refusal && { refusal }),
		...(flaw && options.allowIncomplete && { note: flaw.message }),
		...about,
	};
	if (!flaw || options.allowIncomplete) return { kind: 'accepted', value: output };
	const description = lines(
		flaw.advice,
		"The details contain the incomplete answer. To output it as an item, turn on the option 'Allow Incomplete Answers'.",
	);
	return { kind: 'incomplete', failure: { message: flaw.message, description, facts: output } };
}
