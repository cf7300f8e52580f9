import { listedStatus, type StatusEvent } from '../protocol/event';
import { ALL_STATUSES, type TriggerParameters } from './parameters';

/**
 * Whether an event starts the workflow. What cannot be told is let through rather than lost: a status
 * that is not listed might be a new word for a failure.
 */
export function isWanted(event: StatusEvent, parameters: TriggerParameters): boolean {
	const { events, onlyFinalStatuses, socialAccountIds } = parameters;
	const { social_account_id: account } = event;
	const isOthers =
		account !== undefined &&
		socialAccountIds.length > 0 &&
		!socialAccountIds.includes(account.trim());
	if (isOthers) return false;
	const status = listedStatus(event.status);
	if (status === undefined) return true;
	if (onlyFinalStatuses && !event.final) return false;
	return events.includes(ALL_STATUSES) || events.includes(status);
}
