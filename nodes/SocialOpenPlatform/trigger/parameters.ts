import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { postStatuses } from '../protocol/webhook/event';

export const ALL_STATUSES = '*';

const bounded = (label: string, unit: string, least: number, most: number) => {
	const message = `'${label}' is not a number of ${unit} from ${least} to ${most}`;
	return z.number(message).min(least, message).max(most, message);
};

/** A number that has lost some of its digits would exclude all events. */
const idSchema = z
	.union(
		[z.string(), z.int()],
		"'Social Account IDs' contains something that is not an ID; enter long numbers as text",
	)
	.transform((id) => String(id).trim());

const schema = z
	.object({
		events: z
			.array(
				z.enum([ALL_STATUSES, ...postStatuses], "'Events' contains a status that is not listed"),
			)
			.min(
				1,
				"'Events' is empty, so nothing would start the workflow; choose 'Any Status' or other events",
			),
		onlyFinalStatuses: z.boolean(),
		socialAccountIds: z
			.array(idSchema, "'Social Account IDs' is not a list of IDs")
			.transform((ids) => ids.filter((id) => id !== '')),
		timeWindow: bounded('Time Window (Seconds)', 'seconds', 1, 86_400).default(300),
		duplicateWindow: bounded('Duplicate Window (Hours)', 'hours', 0, 168).default(24),
		includeRawPayload: z.boolean().default(false),
		includeHeaders: z.boolean().default(false),
	})
	.refine(
		({ events, onlyFinalStatuses }) =>
			!onlyFinalStatuses ||
			events.some((event) => [ALL_STATUSES, 'published', 'failed', 'deleted'].includes(event)),
		"'Only Final Statuses' excludes all statuses chosen under 'Events'",
	);

export type TriggerParameters = z.infer<typeof schema>;

/** The error of a trigger with invalid parameters. Its message has a sentence for each of them. */
class ParametersUnusable extends Error {
	override name = 'ParametersUnusable';
}

/**
 * Reads and checks the parameters of the trigger.
 *
 * @throws ParametersUnusable
 */
export function readParameters(context: IHookFunctions | IWebhookFunctions): TriggerParameters {
	const parsed = schema.safeParse({
		events: context.getNodeParameter('events'),
		onlyFinalStatuses: context.getNodeParameter('onlyFinalStatuses'),
		socialAccountIds: context.getNodeParameter('socialAccountIds'),
		...(context.getNodeParameter('options', {}) as object),
	});
	if (parsed.success) return parsed.data;
	const messages = new Set(parsed.error.issues.map(({ message }) => message));
	throw new ParametersUnusable(`${[...messages].join('. ')}.`);
}
