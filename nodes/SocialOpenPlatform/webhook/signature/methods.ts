/**
 * A signature method (in code: recipe) defines how a webhook is signed. The platform's interface
 * does not show the method (docs/platform-assumptions.md). The encoding of the digest is detected,
 * so it is not part of the method.
 */
export interface SignatureRecipe {
	digest: 'sha256' | 'sha512' | 'sha1' | 'md5';
	/** Whether the signature is an HMAC with the App Secret as its key, or a plain digest. */
	keyed: boolean;
	/** Whether the key is the text of the App Secret, or the bytes that it encodes in base64. */
	key: 'utf8' | 'base64';
	/** Signed text, with the placeholders `{body} {timestamp} {id} {nonce} {secret} {fields}`. */
	template: string;
	/**
	 * Maximum difference between a signed timestamp and the current time, in seconds. `readDelivery`
	 * replaces it with the trigger's option *Time Window (Seconds)*.
	 */
	toleranceSeconds: number;
	signatureHeader: string;
	timestampHeader: string;
	idHeader: string;
	nonceHeader: string;
}

const body: SignatureRecipe = {
	digest: 'sha256',
	keyed: true,
	key: 'utf8',
	template: '{body}',
	toleranceSeconds: 300,
	// The platform's interface shows only the signature header ("Events"). The others are assumed.
	signatureHeader: 'X-Webhook-Signature',
	timestampHeader: 'X-Webhook-Timestamp',
	idHeader: 'X-Webhook-Id',
	nonceHeader: 'X-Webhook-Nonce',
};

/** Preset signature methods, starting with the most likely one (docs/platform-assumptions.md). */
export const recipes = {
	body,
	timestampBody: { ...body, template: '{timestamp}.{body}' },
	/** The method of https://www.standardwebhooks.com, with the header names of `body`. */
	standardWebhooks: { ...body, key: 'base64', template: '{id}.{timestamp}.{body}' },
	bodySha512: { ...body, digest: 'sha512' },
	/** The payload's fields are signed in the same way as those of a token request. */
	sortedFields: { ...body, digest: 'md5', keyed: false, template: '{fields}' },
} as const satisfies Record<string, SignatureRecipe>;

/** Labels of the signature methods in the credential. */
export const recipeLabels = {
	body: 'Body',
	timestampBody: 'Timestamp and Body',
	standardWebhooks: 'Standard Webhooks',
	bodySha512: 'Body SHA-512',
	sortedFields: 'Sorted Fields',
	custom: 'Custom',
};

/**
 * Labels of the digests. Weak digests come last, because `explainRefusal` reports the first method
 * that matches.
 */
export const digestLabels = { sha256: 'SHA-256', sha512: 'SHA-512', sha1: 'SHA-1', md5: 'MD5' };
export const keyFormLabels = { utf8: 'Text', base64: 'Base64' };

/** Default values of the credential fields for a custom signature method. */
export const customDefaults = {
	signatureDigest: body.digest,
	signatureKeyed: body.keyed,
	signatureKeyForm: body.key,
	signedContent: body.template,
	signatureHeader: body.signatureHeader,
	timestampHeader: body.timestampHeader,
	webhookIdHeader: body.idHeader,
	nonceHeader: body.nonceHeader,
};

export const keysOf = <K extends string>(labels: Record<K, unknown>) => Object.keys(labels) as K[];
