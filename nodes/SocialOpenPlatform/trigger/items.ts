import type { INodeExecutionData } from 'n8n-workflow';
import type { StatusEvent } from '../protocol/event';
import { redact } from '../protocol/redact';
import type { SignatureRecipe } from '../protocol/signatureRecipe';
import type { WebhookSettings } from '../protocol/webhookSettings';
import type { TriggerParameters } from './parameters';
import type { RawRequest } from './request';

/**
 * What identifies, times or describes a delivery. Only these are passed on, because proxies in front of
 * n8n add headers of their own, and some of those hold a login.
 */
const SHOWN_HEADERS = [
	/^(?:content-(?:encoding|length|type)|date|host|idempotency-key|traceparent|user-agent)$/,
	/^(?:\w+-)*(?:correlation|delivery|event|message|request|trace|webhook)-?id$/,
	/^(?:\w+-)*(?:attempts?|delivery|event|retry|topic)(?:-(?:count|name|num|number|type))?$/,
	/^(?:\w+-)*timestamp$/,
];

const LOGIN_HEADER = /^(?:cookie|(?:proxy-)?authorization)$/;

/** Includes the headers that the recipe reads, unless a login could be in one of them. */
function shownHeaders(headers: RawRequest['headers'], recipe: SignatureRecipe) {
	const { signatureHeader, timestampHeader, idHeader, nonceHeader } = recipe;
	const own = [signatureHeader, timestampHeader, idHeader, nonceHeader]
		.map((name) => name.toLowerCase())
		.filter((name) => !LOGIN_HEADER.test(name));
	const isShown = (name: string) =>
		own.includes(name) || SHOWN_HEADERS.some((shown) => shown.test(name));
	return Object.fromEntries(
		Object.entries(headers).filter(([name]) => isShown(name.toLowerCase())),
	);
}

/** One item for each event; whatever the platform may have echoed of the secrets is taken out. */
export function itemsOf(
	events: StatusEvent[],
	request: RawRequest,
	{ includeHeaders, includeRawPayload }: TriggerParameters,
	{ recipe, secrets }: WebhookSettings,
): INodeExecutionData[] {
	// Once for all items: a delivery may hold many events.
	const more = redact(
		{
			...(includeHeaders && { headers: shownHeaders(request.headers, recipe) }),
			...(includeRawPayload && { raw_payload: request.rawBody?.toString('utf8') }),
		},
		secrets,
	);
	return events.map((event) => ({ json: { ...redact({ ...event }, secrets), ...more } }));
}
