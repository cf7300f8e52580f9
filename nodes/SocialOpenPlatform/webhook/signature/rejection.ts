/**
 * The reasons for refusing a delivery. Only the last one can occur after the signature was verified.
 */
export type RejectionReason =
	| 'unusable-recipe'
	| 'no-body'
	| 'too-large'
	| 'missing-signature'
	| 'unreadable-signature'
	| 'missing-timestamp'
	| 'unreadable-timestamp'
	| 'stale-timestamp'
	| 'missing-id'
	| 'missing-nonce'
	| 'no-fields'
	| 'wrong-signature'
	| 'not-json';

/**
 * The error of a refused delivery. `reason` is for programs, and the message is a sentence for
 * people. Neither contains any part of the secret, the signature or the body.
 */
export class WebhookRejected extends Error {
	override name = 'WebhookRejected';

	constructor(
		readonly reason: RejectionReason,
		message: string,
	) {
		super(message);
	}

	/** Whether the signature is valid, so that the delivery certainly comes from the platform. */
	get isAuthentic() {
		return this.reason === 'not-json';
	}
}
