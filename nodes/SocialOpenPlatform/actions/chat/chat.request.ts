import type { ChatReader, JsonFormat, PreparedChat } from './chatFields';

/** Fields of the body that have a field of the node's own. */
const completionNames = ['model', 'messages', 'response_format', 'temperature', 'max_tokens'];
const responseNames = [
	...['model', 'input', 'instructions', 'text', 'temperature', 'max_output_tokens'],
];

/** The other public interface nests what describes a schema. */
function responseFormat(format: JsonFormat | undefined): object | undefined {
	if (format?.type !== 'json_schema') return format;
	const { type, ...described } = format;
	return { type, json_schema: described };
}

/** The body of `POST /v1/chat/completions`. Nothing is thrown: problems come with it. */
export function prepareCompletion(reader: ChatReader): PreparedChat {
	const { model, format, options, more } = reader.fields(completionNames);
	const body = {
		model,
		messages: reader.messages(),
		response_format: responseFormat(format),
		temperature: options.temperature,
		max_tokens: options.maxTokens,
		...more,
	};
	return { body, options, isJson: format !== undefined, problems: reader.problems };
}

/** The body of `POST /v1/responses`. Nothing is thrown: problems come with it. */
export function prepareResponse(reader: ChatReader): PreparedChat {
	const { model, format, options, more } = reader.fields(responseNames);
	const body = {
		model,
		instructions: reader.instructions(),
		input: reader.input(),
		text: format && { format },
		temperature: options.temperature,
		max_output_tokens: options.maxTokens,
		...more,
	};
	return { body, options, isJson: format !== undefined, problems: reader.problems };
}
