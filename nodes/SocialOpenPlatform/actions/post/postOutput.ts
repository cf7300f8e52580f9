import type { Envelope } from '../../protocol/envelope';
import type { CreateOptions } from './create.options';

/** What goes out of the node for an accepted post. */
export function outputOf(
	envelope: Envelope,
	{ fullEnvelope }: Pick<CreateOptions, 'fullEnvelope'>,
): object {
	return fullEnvelope ? envelope : { request_id: envelope.requestId, ...(envelope.data as object) };
}

/** What a later post with the same key is told of this one. */
export function factsOf({ requestId, data }: Envelope, sentAt: string): Record<string, unknown> {
	const { action_sn, social_post_id } = data as Record<string, unknown>;
	return { posted_at: sentAt, request_id: requestId, action_sn, social_post_id };
}
