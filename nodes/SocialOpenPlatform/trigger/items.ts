import type { INodeExecutionData } from 'n8n-workflow';
import type { StatusEvent } from '../protocol/event';
import { redact } from '../protocol/redact';
import type { TriggerParameters } from './parameters';
import type { RawRequest } from './request';

/** Proxies in front of n8n add their own; what opens doors is not passed on. */
const PRIVATE_HEADER = /^(?:cookie|(?:proxy-)?authorization)$/i;

/** One item for each event; whatever the platform may have echoed of the secrets is taken out. */
export function itemsOf(
	events: StatusEvent[],
	request: RawRequest,
	{ includeHeaders, includeRawPayload }: TriggerParameters,
	secrets: string[],
): INodeExecutionData[] {
	const headers = Object.entries(request.headers).filter(([name]) => !PRIVATE_HEADER.test(name));
	// Once for all items: a delivery may hold many events.
	const more = redact(
		{
			...(includeHeaders && { headers: Object.fromEntries(headers) }),
			...(includeRawPayload && { raw_payload: request.rawBody?.toString('utf8') }),
		},
		secrets,
	);
	return events.map((event) => ({ json: { ...redact({ ...event }, secrets), ...more } }));
}
