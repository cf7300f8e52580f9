import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import type { Issues } from '../items/issues';
import { boundedInteger, boundedNumber } from '../items/requestLimits';
import { readJson, toText } from '../items/values';

/** Default timeout in seconds. A model may need minutes before it responds. */
export const CHAT_TIMEOUT_S = 300;

export const modelField: INodeProperties = {
	displayName: 'Model',
	name: 'model',
	type: 'string',
	default: '',
	required: true,
	placeholder: 'e.g. chat-large',
	description:
		"Name of the model, as in the platform's documentation. The platform provides no list of models.",
};

/** Options that the chat operations and the chat model share. */
export const chatOptionFields = {
	additionalBodyFields: {
		displayName: 'Other Fields (JSON)',
		name: 'additionalBodyFields',
		type: 'json',
		default: '{}',
		description:
			'Additional request fields as a JSON object such as {"top_p": 0.9}. They are sent unchanged; fields that the node has are refused.',
	},
	maxTokens: {
		displayName: 'Max Tokens',
		name: 'maxTokens',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		default: 1000,
		description:
			'Maximum length of the answer in tokens: 1,000 tokens are about 750 English words. A longer answer is cut off and used as it is; without this option, the platform decides.',
	},
	temperature: {
		displayName: 'Temperature',
		name: 'temperature',
		type: 'number',
		typeOptions: { minValue: 0, maxValue: 2, numberPrecision: 2 },
		default: 0.7,
		description:
			'How much the answers vary, from 0 (nearly the same each time) to 2 (most varied). Without this option, the platform decides.',
	},
} satisfies Record<string, INodeProperties>;

/** The schema of these shared options. */
export const chatOptionsSchema = z.object({
	additionalBodyFields: z.unknown(),
	maxTokens: boundedInteger('a number of tokens', 1, Number.MAX_SAFE_INTEGER).optional(),
	temperature: boundedNumber('a number', 0, 2).optional(),
	timeout: boundedNumber('a number of seconds', 0.1, 3600).default(CHAT_TIMEOUT_S),
});

/** Returns the schema of a value that may be JSON text. */
export const json = <Schema extends z.ZodType>(schema: Schema) =>
	z.preprocess((given, context) => {
		const read = readJson(given);
		if ('value' in read) return read.value;
		context.addIssue(read.issue);
		return z.NEVER;
	}, schema);

/**
 * Creates the function that reads and checks a field. It returns undefined for an invalid value.
 *
 * @param read reads a parameter
 */
export const fieldReader =
	(issues: Issues<string>, read: (name: string) => unknown) =>
	<T extends z.ZodType>(name: string, schema: T, convert = toText): z.output<T> | undefined => {
		const given = { [name]: convert(read(name)) };
		return issues.parse(z.object({ [name]: schema }), given)[name] as z.output<T> | undefined;
	};
