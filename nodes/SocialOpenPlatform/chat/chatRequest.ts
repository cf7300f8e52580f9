import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';
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
import { describeRateLimits, nameOf, type Run } from '../items/run';
import { text, toText } from '../items/values';
import type { Operation } from '../platform/endpoints';
import type { Limiter } from '../platform/limiter';
import { lines, type Failed, type Outcome } from '../platform/outcome';
import { sendRequest, type Connection } from '../platform/request';
import { openSession } from '../platform/session';
import { CHAT_REQUEST, readChatAnswer } from './chatAnswer';
import {
	formatFields,
	formatSchemas,
	jsonSchemaSchemas,
	modelField,
	options as optionsField,
	optionsSchema,
} from './chatFields';
import { readJsonReply, readReply, whyIncomplete, type ChatJson } from './reply';

/** All chat requests of one run share these values. */
export interface ChatRun extends Run {
	parameter: ParameterReader;
	connection: Connection;
	itemCount: number;
}

/** It is sent only if there are no issues. */
export type ChatRequest = ReturnType<typeof withOtherFields>;

const ALLOW_INCOMPLETE =
	"The details contain the incomplete answer. To output it as an item, turn on the option 'Allow Incomplete Answers'.";

/** Reads the data that all items of a run share. */
export async function beginChat(
	context: IExecuteFunctions,
	limiter: Limiter,
): Promise<ChatRun | Failed> {
	const session = await openSession(context, CHAT_REQUEST);
	if ('failure' in session) return session;
	return {
		connection: { session, limiter },
		parameter: parameterReader(context),
		itemCount: context.getInputData().length,
		summary: () => ({ text: describeRateLimits(limiter) }),
	};
}

/**
 * Reads and checks the parameters of an item.
 *
 * @param own the fields that only this operation has
 * @param schemas the schemas of those that are shown
 */
export function readFields(
	parameter: ParameterReader,
	itemIndex: number,
	own: INodeProperties[],
	schemas: Record<string, z.ZodType>,
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
	const isJson = type !== undefined && type !== 'text';
	const format = isJson ? { type, ...(isSchema && { name, schema, strict }) } : undefined;
	return { fields, options, format, issues: [...issues, ...checked.issues] };
}

/** Adds *Other Fields (JSON)*, which must not contain a name that the body has. */
export function withOtherFields(
	{ options, format, issues }: ReturnType<typeof readFields>,
	body: ChatJson,
) {
	const label = labelsOf([optionsField]).additionalBodyFields!;
	const others = readOtherFields(options.additionalBodyFields, label, Object.keys(body));
	const message = "contains 'stream', but this operation does not support streaming";
	const ofStream = 'stream' in others.fields ? [{ field: label, message }] : [];
	return {
		body: { ...body, ...others.fields },
		options,
		format,
		issues: [...issues, ...others.issues, ...ofStream],
	};
}

/**
 * Sends the chat request of an item. Its outcome is not recorded and a retry sends it again,
 * because a chat request publishes nothing.
 *
 * @returns the output item
 */
export async function sendChat(
	itemIndex: number,
	{ connection, itemCount }: ChatRun,
	operation: Operation,
	chat: ChatRequest,
): Promise<Outcome<object>> {
	const { body, options, issues } = chat;
	const name = nameOf('chat request', itemIndex, itemCount);
	if (issues.length > 0) return invalid(name, issues);
	return await connection.limiter.runInTurn(itemIndex, async () => {
		const outcome = await sendRequest(connection, itemIndex, {
			operation,
			content: async () => ({ body }),
			read: readChatAnswer,
			timeout: Math.ceil(options.timeout * 1000),
			rateLimitWait: options.rateLimitWait * 1000,
			what: name ?? CHAT_REQUEST,
			isSafeToRepeat: true,
		});
		if (outcome.kind !== 'accepted') return outcome;
		return outputOf(chat, outcome.value);
	});
}

/**
 * Creates the output item of a reply. For an incomplete reply, the outcome is `incomplete` unless the user
 * allows such replies.
 */
function outputOf({ options, format }: ChatRequest, response: ChatJson): Outcome<object> {
	const reply = readReply(response);
	const { text, reasoning, finishReason, refusal, toolCalls, usage, model, id } = reply;
	const isJson = format && toolCalls.length === 0;
	const json = isJson ? readJsonReply(text, format.schema) : {};
	const flaw = whyIncomplete(reply) ?? json.flaw;
	const output = {
		text,
		...(reasoning && { reasoning }),
		...(json.value !== undefined && { json: json.value }),
		finish_reason: finishReason,
		...(toolCalls.length > 0 && { tool_calls: toolCalls }),
		...(refusal && { refusal }),
		...(flaw && options.allowIncomplete && { note: flaw.message }),
		usage,
		model,
		id,
		...(options.fullResponse && { response }),
	};
	if (!flaw || options.allowIncomplete) return { kind: 'accepted', value: output };
	const description = lines(flaw.advice, ALLOW_INCOMPLETE);
	return { kind: 'incomplete', failure: { message: flaw.message, description, facts: output } };
}
