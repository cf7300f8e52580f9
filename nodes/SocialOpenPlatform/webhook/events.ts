import type { INodeExecutionData } from 'n8n-workflow';
import { redact } from '../platform/redact';
import { listedStatus, type StatusEvent } from './event';
import type { SignatureRecipe } from './recipes/recipe';
import { ACCOUNTS, ALL_STATUSES, type TriggerParameters } from './properties';
import type { TriggerDelivery } from './verify';

/**
 * Headers that identify, time or describe a delivery. Other headers are left out, because proxies
 * add headers, and some of these contain credentials.
 */
const OUTPUT_HEADER =
	/^(?:content-(?:length|type)|date|host|idempotency-key|traceparent|user-agent|(?:\w+-)*(?:(?:correlation|delivery|event|message|request|trace|webhook)-id|attempt|delivery|event|retry|timestamp|topic))$/;

const LOGIN_HEADER = /^(?:cookie|(?:proxy-)?authorization)$/;

/** Maximum length of an account in a message. */
const MAX_QUOTED = 80;

/**
 * Why an event does not start the workflow; undefined if it does. Events with an unlisted status or
 * without an account always do, because they may report a failure.
 */
export function filterReason(
	{ status, social_account_id: account }: StatusEvent,
	{ events, socialAccountIds: ids }: TriggerParameters,
): string | undefined {
	if (account !== undefined && ids.length > 0 && !ids.includes(account.trim())) {
		return `'${ACCOUNTS}' does not include '${account.trim().slice(0, MAX_QUOTED)}'`;
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
export function toItems(
	events: StatusEvent[],
	{ headers, parameters, settings }: TriggerDelivery,
): INodeExecutionData[] {
	const { accounts, recipe, secrets } = settings;
	const added = parameters.includeHeaders ? { headers: outputHeaders(headers, recipe) } : {};
	return events.map(({ payload, ...event }) => {
		const name = accounts.get(event.social_account_id?.trim() ?? '');
		const named = { ...event, ...(name !== undefined && { social_account_name: name }), payload };
		return { json: redact({ ...named, ...added }, secrets) };
	});
}

/** Selects the headers to output: the safe ones, and those that the signature method uses. */
function outputHeaders(
	headers: TriggerDelivery['headers'],
	{ signatureHeader, timestampHeader, idHeader, nonceHeader }: SignatureRecipe,
) {
	const used = [signatureHeader, timestampHeader, idHeader, nonceHeader].map((name) =>
		name.toLowerCase(),
	);
	return Object.fromEntries(
		Object.entries(headers).filter(
			([name]) => OUTPUT_HEADER.test(name) || (used.includes(name) && !LOGIN_HEADER.test(name)),
		),
	);
}
