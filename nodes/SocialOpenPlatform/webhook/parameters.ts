import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow';
import { z } from 'zod/v4';
import { matchingIds, type Accounts } from '../platform/accounts';
import { listedStatus, postStatuses, type StatusEvent } from './signature/event';

export const ALL_STATUSES = '*';

const bounded = (label: string, unit: string, least: number, most: number) => {
	const message = `'${label}' is not a number of ${unit} from ${least} to ${most}`;
	return z.number(message).min(least, message).max(most, message);
};

const parametersSchema = z.lazy(() =>
	z.object({
		events: z
			.array(
				z.enum([ALL_STATUSES, ...postStatuses], "'Events' contains a status that is not listed"),
			)
			.min(1, "'Events' is empty, so nothing would start the workflow; choose at least one status"),
		socialAccountIds: z
			.array(
				z
					.union(
						// A number that has lost some of its digits would exclude all events.
						[z.string(), z.int()],
						"'Accounts' contains something that is not an ID; enter long numbers as text",
					)
					.transform((id) => String(id).trim()),
				"'Accounts' is not a list of IDs",
			)
			.transform((ids) => ids.filter(Boolean)),
		timeWindow: bounded('Time Window (Seconds)', 'seconds', 1, 86_400).default(300),
		duplicateWindow: bounded('Duplicate Window (Hours)', 'hours', 0, 168).default(24),
		includeHeaders: z.boolean().default(false),
	}),
);

export type TriggerParameters = z.infer<typeof parametersSchema>;

/**
 * Reads and checks the parameters of the trigger.
 *
 * @throws Error with a sentence for each invalid parameter
 */
export function readTriggerParameters(context: IHookFunctions | IWebhookFunctions) {
	const parsed = parametersSchema.safeParse({
		events: context.getNodeParameter('events'),
		socialAccountIds: context.getNodeParameter('socialAccountIds'),
		...(context.getNodeParameter('options', {}) as object),
	});
	if (parsed.success) return parsed.data;
	const messages = new Set(parsed.error.issues.map(({ message }) => message));
	throw new Error(`${[...messages].join('. ')}.`);
}

/**
 * Returns the filter of the trigger, which returns why an event does not start the workflow, or
 * undefined if it does. Events with an unlisted status or without an account always do, because they
 * may report a failure.
 */
export function filterOf({ events, socialAccountIds }: TriggerParameters, accounts: Accounts) {
	// An expression may return the names of accounts instead of their IDs.
	const ids = socialAccountIds.flatMap((given) => matchingIds(accounts, given));
	return ({ status, social_account_id: id }: StatusEvent) => {
		if (id !== undefined && ids.length > 0 && !ids.includes(id)) {
			return `'Accounts' does not include '${id}'`;
		}
		const listed = listedStatus(status);
		if (!listed || events.includes(ALL_STATUSES) || events.includes(listed)) return undefined;
		return `'Events' does not include the status '${listed}'`;
	};
}
