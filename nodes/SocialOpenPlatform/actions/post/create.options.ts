import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod/v4';

const showOnlyForCreate = { show: { resource: ['post'], operation: ['create'] } };

const DEFAULT_TIMEOUT_S = 60;

const fields: INodeProperties[] = [
	{
		displayName: 'Include Full Response',
		name: 'fullEnvelope',
		type: 'boolean',
		default: false,
		description:
			"Whether to output the platform's whole answer (requestId, success, message, code, data) instead of the action record",
	},
	{
		displayName: 'Timeout (Seconds)',
		name: 'timeout',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: 3600 },
		default: DEFAULT_TIMEOUT_S,
		description:
			'How long to wait for the answer. When it does not come, it is unknown whether the post was accepted.',
	},
];

/** The options of Create, as the panel shows them. */
export const options: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	displayOptions: showOnlyForCreate,
	options: fields,
};

/** What the panel calls an option, by its name. */
export const optionLabels = new Map(fields.map(({ name, displayName }) => [name, displayName]));

/** The same options, as they are read. */
export const optionsSchema = z.object({
	fullEnvelope: z.boolean('is neither true nor false').default(false),
	timeout: z
		.number('is not a number of seconds')
		.min(0.1, 'is below 0.1 seconds')
		.max(3600, 'is above 3600 seconds')
		.default(DEFAULT_TIMEOUT_S),
});
