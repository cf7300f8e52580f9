import { updateDisplayOptions, type INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import {
	checkFields,
	checkOptions,
	labelsOf,
	parameterReader,
	type ParameterReader,
	readOtherFields,
} from '../items/parameters';
import { nameOf, type Operation, type Run } from '../items/run';
import { text, toText } from '../items/values';
import { type Failed, failed, type Outcome, stopped } from '../platform/outcome';
import { send } from '../platform/client';
import type { Limiter } from '../platform/limiter';
import { openSession, type Session } from '../platform/session';
import { createCompletion } from './complete.operation';
import { chatOptions, chatOptionsSchema, formatFields, formatSchemas, modelField } from './fields';
import {
	CHAT_REQUEST,
	type ChatJson,
	readChatResponse,
	readJsonReply,
	readReply,
	whyIncomplete,
} from './response';
import { createResponse } from './respond.operation';

/** The objects that all chat requests of a run share. */
interface ChatRun extends Run {
	session: Session;
	limiter: Limiter;
}

/** The parts in which the two chat operations differ. */
export interface ChatOperation {
	operation: 'chatCompletions' | 'responses';
	/** The fields that only this operation has. */
	fields: INodeProperties[];
	/** Returns the schemas of those fields that are shown. */
	schemas: (read: (name: string) => unknown) => z.ZodRawShape;
	/** Creates the request fields that only this operation has. */
	toBody: (
		fields: ChatJson,
		options: z.infer<ReturnType<typeof chatOptionsSchema>>,
		format?: ChatJson,
	) => ChatJson;
}

/**
 * Creates the functions of a chat operation. A request publishes nothing, so its outcome is not
 * recorded and a retry sends it again.
 */
const chatOperation = (chat: ChatOperation): Operation => ({
	async begin(context, limiter): Promise<ChatRun | Failed> {
		const session = await openSession(context, CHAT_REQUEST);
		return 'failure' in session ? session : { session, limiter };
	},
	async execute(context, itemIndex, { session, limiter }: ChatRun) {
		const parameter = parameterReader(context, labels);
		const request = prepareChat(chat, parameter, itemIndex);
		const { body, options, issues } = request;
		const name = nameOf('chat request', itemIndex, context.getInputData().length);
		if (issues.length > 0) return failed.invalid(name, issues);
		for await (const attempt of limiter.attempts(itemIndex, options.rateLimitWait * 1000)) {
			const outcome = await send(session, {
				operation: chat.operation,
				body,
				what: name ?? CHAT_REQUEST,
				read: readChatResponse,
				timeout: Math.ceil(options.timeout * 1000),
			});
			if (attempt.pauseToResend(outcome)) continue;
			return outcome.kind === 'accepted' ? replyOutput(request, outcome.value) : outcome;
		}
		return stopped;
	},
});

/**
 * Reads the parameters of an item, and creates its request. The request must be sent only if there
 * are no issues.
 */
export function prepareChat(
	{ schemas, toBody }: ChatOperation,
	parameter: ParameterReader,
	itemIndex: number,
) {
	const read = (name: string) => toText(parameter(name, itemIndex, undefined));
	const { options, issues } = checkOptions(chatOptionsSchema(), read('options'), labels);
	const shape = { model: text, ...formatSchemas(read('outputFormat')), ...schemas(read) };
	const given = Object.keys(shape).map((name) => [name, read(name)] as const);
	const checked = checkFields(z.object(shape), Object.fromEntries(given), labels);
	const fields: ChatJson = checked.values;
	const { outputFormat: type, jsonSchema: schema, strictSchema: strict } = fields;
	// A schema requires a name, which only tells the model what the schema describes.
	const name = schema && 'answer';
	const format = type === 'text' ? undefined : { type, name, schema, strict };
	const { temperature } = options;
	const body: ChatJson = {
		model: fields.model,
		...toBody(fields, options, format),
		temperature,
	};
	// Unset fields are in the body with the value undefined, so they are refused, too. The node reads
	// one complete answer, so `n` and `stream` are also refused.
	const taken = [...Object.keys(body), 'n', 'stream'];
	const field = labels.additionalBodyFields!;
	const others = readOtherFields(options.additionalBodyFields, field, taken);
	issues.push(...checked.issues, ...others.issues);
	return { body: { ...body, ...others.fields }, options, format, issues };
}

/**
 * Returns the outcome for a reply. The outcome of an incomplete reply is `incomplete`, unless the
 * user allows such replies.
 */
function replyOutput(
	{ options, format }: ReturnType<typeof prepareChat>,
	response: ChatJson,
): Outcome<object> {
	const { usage, model, id } = response;
	const reply = readReply(response);
	const { text, finishReason, refusal, toolCalls } = reply;
	const json = format && !toolCalls ? readJsonReply(text, format.schema) : undefined;
	const flaw = whyIncomplete(reply) ?? json?.flaw;
	const output = {
		text,
		...(json?.value && { json: json.value }),
		finish_reason: finishReason,
		...(toolCalls && { tool_calls: toolCalls }),
		...(refusal && { refusal }),
		...(flaw && options.allowIncomplete && { note: flaw.message }),
		usage,
		model,
		id,
	};
	if (!flaw || options.allowIncomplete) return { kind: 'accepted', value: output };
	return {
		kind: 'incomplete',
		failure: {
			message: flaw.message,
			description: `${flaw.advice}\nThe details contain the incomplete answer. To output it as an item, turn on the option 'Allow Incomplete Answers'.`,
			facts: output,
		},
	};
}

const description = updateDisplayOptions({ show: { resource: ['chat'] } }, [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		default: 'complete',
		options: [
			{
				name: 'Create Completion',
				value: 'complete',
				action: 'Create a chat completion',
				description: 'Let a model answer a conversation of several messages',
			},
			{
				name: 'Create Response',
				value: 'respond',
				action: 'Create a chat response',
				description: 'Let a model answer a single input, with optional instructions',
			},
		],
	},
	modelField,
	...updateDisplayOptions({ show: { operation: ['complete'] } }, createCompletion.fields),
	...updateDisplayOptions({ show: { operation: ['respond'] } }, createResponse.fields),
	...formatFields,
	chatOptions,
]);

/** Labels of the fields and options, by parameter name. */
const labels = labelsOf(description);

/** The resource Chat. */
export const chat = {
	operations: {
		complete: chatOperation(createCompletion),
		respond: chatOperation(createResponse),
	},
	description,
};
