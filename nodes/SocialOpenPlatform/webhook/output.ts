import type { INodeExecutionData } from 'n8n-workflow';
import { redact } from '../platform/redact';
import { listedStatus, type StatusEvent } from './signature/event';
import type { VerifiedEvent } from './signature';
import { ACCOUNTS, ALL_STATUSES, type TriggerDelivery, type TriggerParameters } from './delivery';

/**
 * These headers identify, time or describe a delivery. Other headers are left out, because proxies
 * add headers, and some of these contain credentials.
 */
const OUTPUT_HEADER =
	/^(?:content-(?:length|type)|date|host|idempotency-key|traceparent|user-agent|(?:\w+-)*(?:(?:correlation|delivery|event|message|request|trace|webhook)-id|attempt|delivery|event|retry|timestamp|topic))$/;

const LOGIN_HEADER = /^(?:cookie|(?:proxy-)?authorization)$/;

/** The sender decides how long an account is, so a message contains only its beginning. */
const MAX_QUOTED = 80;

/**
 * Returns why an event does not start the workflow; undefined if it does. Events with an unlisted
 * status or without an account always do, because they may report a failure.
 */
export function filterReason(
	{ status, social_account_id: account }: StatusEvent,
	{ events, socialAccountIds: ids }: TriggerParameters,
) {
	const id = account?.trim();
	if (id !== undefined && ids.length > 0 && !ids.includes(id)) {
		return `'${ACCOUNTS}' does not include '${id.slice(0, MAX_QUOTED)}'`;
	}
	const listed = listedStatus(status);
	if (listed === undefined || events.includes(ALL_STATUSES) || events.includes(listed)) {
		return undefined;
	}
	return `'Events' does not include the status '${listed}'`;
}

/**
 * Creates an output item for each event. Secrets are redacted, because the platform may have
 * repeated them.
 */
export function toItems(events: VerifiedEvent[], delivery: TriggerDelivery): INodeExecutionData[] {
	const { accounts, secrets } = delivery.settings;
	const added = delivery.parameters.includeHeaders && { headers: outputHeaders(delivery) };
	return events.map(({ event: { payload, ...event } }) => {
		const name = accounts.get(event.social_account_id?.trim() ?? '');
		const named = name !== undefined && { social_account_name: name };
		return { json: redact({ ...event, ...named, payload, ...added }, secrets) };
	});
}

/** Selects the headers to output: the safe ones, and those that the signature method uses. */
function outputHeaders({ headers, settings }: TriggerDelivery) {
	const { signatureHeader, timestampHeader, idHeader, nonceHeader } = settings.recipe;
	const used = [signatureHeader, timestampHeader, idHeader, nonceHeader].map((name) =>
		name.toLowerCase(),
	);
	return Object.fromEntries(
		Object.entries(headers).filter(
			([name]) => OUTPUT_HEADER.test(name) || (used.includes(name) && !LOGIN_HEADER.test(name)),
		),
	);
}
