/** Why a delivery is not believed, or, once it is, not understood. */
export type RejectionReason =
	| 'no-secret'
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
	| 'unsigned-fields'
	| 'wrong-signature'
	| 'not-json'
	| 'too-many-events';

/**
 * A delivery that starts nothing. `reason` is for programs, the message is one sentence for people;
 * neither holds anything of the secret, the signature or the body.
 */
export class WebhookRejected extends Error {
	override name = 'WebhookRejected';

	constructor(
		readonly reason: RejectionReason,
		message: string,
	) {
		super(message);
	}

	/** Whether the signature held: then only its sender can have made the delivery. */
	get isAuthentic(): boolean {
		return this.reason === 'not-json' || this.reason === 'too-many-events';
	}
}
