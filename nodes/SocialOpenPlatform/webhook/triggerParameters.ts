import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { postStatuses } from './event';

export const ALL_STATUSES = '*';

export const ACCOUNTS = 'Accounts';

const bounded = (label: string, unit: string, least: number, most: number) => {
	const message = `'${label}' is not a number of ${unit} from ${least} to ${most}`;
	return z.number(message).min(least, message).max(most, message);
};

/** A number that has lost some of its digits would exclude all events. */
const idSchema = z
	.union(
		[z.string(), z.int()],
		`'${ACCOUNTS}' contains something that is not an ID; enter long numbers as text`,
	)
	.transform((id) => String(id).trim());

const schema = z.object({
	events: z
		.array(z.enum([ALL_STATUSES, ...postStatuses], "'Events' contains a status that is not listed"))
		.min(1, "'Events' is empty, so nothing would start the workflow; choose at least one status"),
	socialAccountIds: z
		.array(idSchema, `'${ACCOUNTS}' is not a list of IDs`)
		.transform((ids) => ids.filter((id) => id !== '')),
	timeWindow: bounded('Time Window (Seconds)', 'seconds', 1, 86_400).default(300),
	duplicateWindow: bounded('Duplicate Window (Hours)', 'hours', 0, 168).default(24),
	includeHeaders: z.boolean().default(false),
});

export type TriggerParameters = z.infer<typeof schema>;

/**
 * Reads and checks the parameters of the trigger.
 *
 * @throws Error with a sentence for each invalid parameter
 */
export function readParameters(context: IHookFunctions | IWebhookFunctions): TriggerParameters {
	const parsed = schema.safeParse({
		events: context.getNodeParameter('events'),
		socialAccountIds: context.getNodeParameter('socialAccountIds'),
		...(context.getNodeParameter('options', {}) as object),
	});
	if (parsed.success) return parsed.data;
	const messages = new Set(parsed.error.issues.map(({ message }) => message));
	throw new Error(`${[...messages].join('. ')}.`);
}
