import type { INodeExecutionData } from 'n8n-workflow';
import { redact } from '../protocol/redact';
import { listedStatus, type StatusEvent } from '../protocol/webhook/event';
import type { SignatureRecipe } from '../protocol/webhook/recipe';
import { ALL_STATUSES, type TriggerParameters } from './parameters';
import type { TriggerDelivery } from './verify';

/**
 * Headers that identify, time or describe a delivery. Other headers are left out, because proxies
 * add headers, and some of these contain credentials.
 */
const OUTPUT_HEADERS = [
	/^(?:content-(?:encoding|length|type)|date|host|idempotency-key|traceparent|user-agent)$/,
	/^(?:\w+-)*(?:correlation|delivery|event|message|request|trace|webhook)-?id$/,
	/^(?:\w+-)*(?:attempts?|delivery|event|retry|topic)(?:-(?:count|name|num|number|type))?$/,
	/^(?:\w+-)*timestamp$/,
];

const LOGIN_HEADER = /^(?:cookie|(?:proxy-)?authorization)$/;

/**
 * Whether an event starts the workflow. Events with an unlisted status or without an account always
 * do, because they may report a failure.
 */
export function isWanted(event: StatusEvent, parameters: TriggerParameters): boolean {
	const { events, onlyFinalStatuses, socialAccountIds } = parameters;
	const { social_account_id: account } = event;
	const isOfOtherAccount =
		account !== undefined &&
		socialAccountIds.length > 0 &&
		!socialAccountIds.includes(account.trim());
	if (isOfOtherAccount) return false;
	const status = listedStatus(event.status);
	if (status === undefined) return true;
	if (onlyFinalStatuses && !event.final) return false;
	return events.includes(ALL_STATUSES) || events.includes(status);
}

/** Maximum length of an account in a message. */
const MAX_QUOTED = 80;

/** Describes which parameters of the trigger exclude an event. */
export function describeFilters(
	event: StatusEvent,
	{ parameters, settings }: TriggerDelivery,
): string {
	const { social_account_id: account = '', status } = event;
	const { id } = redact({ id: account.trim() }, settings.secrets);
	const inactive = { events: [ALL_STATUSES], onlyFinalStatuses: false, socialAccountIds: [] };
	const reasons = {
		events: `'Events' does not include the status '${status}'`,
		onlyFinalStatuses: `'Only Final Statuses' is on, and the status '${status}' is not final`,
		socialAccountIds: `'Social Account IDs' does not include '${id.slice(0, MAX_QUOTED)}'`,
	};
	return (Object.keys(reasons) as Array<keyof typeof reasons>)
		.filter((name) => {
			const onlyThis = { ...parameters, ...inactive, [name]: parameters[name] };
			return !isWanted(event, onlyThis as TriggerParameters);
		})
		.map((name) => reasons[name])
		.join('; ');
}

/**
 * Creates an output item for each event. Secrets are redacted, because the platform may have
 * repeated them.
 */
export function toItems(
	events: StatusEvent[],
	{ headers, rawBody, parameters, settings }: TriggerDelivery,
): INodeExecutionData[] {
	const { includeHeaders, includeRawPayload } = parameters;
	const { accounts, recipe, secrets } = settings;
	// The raw body is redacted only once, because a delivery can have many events.
	const common = redact(
		{
			...(includeHeaders && { headers: outputHeaders(headers, recipe) }),
			...(includeRawPayload && { raw_payload: rawBody.toString('utf8') }),
		},
		secrets,
	);
	return events.map(({ payload, ...event }) => {
		const name = accounts.get(event.social_account_id?.trim() ?? '');
		const named = { ...event, ...(name !== undefined && { social_account_name: name }), payload };
		return { json: { ...redact(named, secrets), ...common } };
	});
}

/**
 * Selects the headers to output: the safe ones, and those that the signature method uses, unless
 * they may contain credentials.
 */
function outputHeaders(headers: TriggerDelivery['headers'], recipe: SignatureRecipe) {
	const { signatureHeader, timestampHeader, idHeader, nonceHeader } = recipe;
	const recipeHeaders = [signatureHeader, timestampHeader, idHeader, nonceHeader]
		.map((name) => name.toLowerCase())
		.filter((name) => !LOGIN_HEADER.test(name));
	const isOutput = (name: string) =>
		recipeHeaders.includes(name) || OUTPUT_HEADERS.some((pattern) => pattern.test(name));
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => isOutput(name.toLowerCase())),
	);
}
