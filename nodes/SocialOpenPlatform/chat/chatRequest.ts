import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';
import { fieldReader, json, modelField } from './chatOptions';
import { Issues, labelsOf } from '../items/issues';
import type { ParameterReader } from '../items/parameterReader';
import type { ChatJson } from './reply';
import { flag, text, type Issue } from '../platform/issue';
import { formatFields, options, optionsSchema, type ChatOptions } from './chatFields';

/** The chat request of one item. If there are problems, `body` contains only the valid fields. */
export interface PreparedChat {
	body: ChatJson;
	options: ChatOptions;
	/** The format of a JSON reply. */
	format?: JsonFormat;
	/** Issues of the item. The request is sent only if there are none. */
	problems: Issue[];
}

/** The format of a JSON reply, as `POST /v1/responses` expects it. */
export interface JsonFormat {
	type: 'json_object' | 'json_schema';
	schema?: unknown;
	[field: string]: unknown;
}

type FieldReader = ReturnType<typeof fieldReader>;

const outputFormats = ['text', 'json_object', 'json_schema'] as const;
const outputFormat = z.enum(outputFormats, `must be one of '${outputFormats.join("', '")}'`);
const schemaName = text.regex(/^[\w-]{1,64}$/, 'may contain only letters, digits, - and _');
const jsonSchema = json(z.record(z.string(), z.unknown(), 'is not a JSON object'));

/**
 * Reads and checks the parameters of an item. It never throws; issues are in the result.
 *
 * @param own the fields that only this operation has
 * @param bodyOf creates the body without the model
 */
export function prepare(
	parameter: ParameterReader,
	itemIndex: number,
	own: INodeProperties[],
	bodyOf: (field: FieldReader, options: ChatOptions, format?: JsonFormat) => ChatJson,
): PreparedChat {
	const issues = new Issues(labelsOf([modelField, ...own, ...formatFields, options]));
	const read = (name: string) => parameter(name, itemIndex, undefined);
	const field = fieldReader(issues, read);
	const given = issues.parseOptions(optionsSchema, read('options'));
	const format = readFormat(field);
	const body = { model: field('model', text), ...bodyOf(field, given, format) };
	const { additionalBodyFields } = given;
	const taken = Object.keys(body);
	const more = issues.parseOtherFields('additionalBodyFields', additionalBodyFields, taken);
	if ('stream' in more) {
		issues.problem(
			'additionalBodyFields',
			"contains 'stream', but this operation does not support streaming",
		);
	}
	return { body: { ...body, ...more }, options: given, format, problems: issues.problems };
}

function readFormat(field: FieldReader): JsonFormat | undefined {
	const type = field('outputFormat', outputFormat);
	if (type !== 'json_schema') return type === 'json_object' ? { type } : undefined;
	return {
		type,
		name: field('schemaName', schemaName),
		schema: field('jsonSchema', jsonSchema),
		strict: field('strictSchema', flag),
	};
}
