import { type ISupplyDataFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { FieldReader } from '../parameters/fieldReader';
import { parameterError } from '../parameters/parameterError';
import { toText } from '../parameters/values';
import { notText } from '../protocol/notText';
import { labels, optionsSchema, type ModelField, type ModelOptions } from './modelOptions';

/** Names on the wire that the model fills by itself. */
const taken = ['model', 'messages', 'tools', 'temperature', 'max_tokens', 'stream', 'stop'];

export interface ModelParameters {
	model: string;
	/** Of the request, beside model, messages and tools. */
	body: Record<string, unknown>;
	options: ModelOptions;
}

const filled = z.string({ error: ({ input }) => notText(input) });

/** @throws NodeOperationError naming every field that cannot be used */
export function readModelParameters(
	this: ISupplyDataFunctions,
	itemIndex: number,
): ModelParameters {
	const reader = new FieldReader<ModelField>(labels);
	const model = reader.take('model', filled, toText(this.getNodeParameter('model', itemIndex, '')));
	const given = this.getNodeParameter('options', itemIndex, {}) as Partial<ModelOptions> | null;
	const options = reader.takeOptions(optionsSchema, given) ?? optionsSchema.parse({});
	const { additionalBodyFields } = { ...given };
	const { temperature, maxTokens: max_tokens } = options;
	const more = reader.takeFree('additionalBodyFields', additionalBodyFields, taken);
	if (reader.problems.length > 0) {
		const error = parameterError(this.getNode(), itemIndex, reader.problems);
		error.functionality = 'configuration-node';
		// In a chat that streams, n8n shows the description alone.
		error.description = `${error.message}. Correct it in the node of the chat model; nothing was sent.`;
		throw error;
	}
	return { model: model ?? '', body: { temperature, max_tokens, ...more }, options };
}
