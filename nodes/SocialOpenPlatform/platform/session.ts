import {
	OperationalError,
	sleep,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type IHttpRequestOptions,
	type ISupplyDataFunctions,
} from 'n8n-workflow';
import { originalErrorOf } from './connection';
import { type Failed, failed, FIX_CREDENTIAL } from './outcome';
import { redact, secretsIn } from './json';
import { CredentialUnusable, readSettings, tokenIn, type Settings } from './settings';
import { exchangeFailure } from './token';

/** The context of a node that processes items, or of a node that supplies a model. */
type NodeContext = IExecuteFunctions | ISupplyDataFunctions;

/** The name of the credential type. It must not change, because saved workflows contain it. */
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

const MIXED =
	'Expressions in the credential give the items different settings. Send the items of each application in a run of their own, for example with Loop Over Items.';

/**
 * Time limit for fetching and storing a token, in milliseconds. The token exchange may take 20
 * seconds of this time.
 */
const MAX_EXCHANGE_MS = 25_000;

/**
 * The run gives up when the platform has rejected this number of new tokens in a row. A rejection
 * counts only a quarter if another run has stored a newer token, because two processes that replace
 * an expired token at the same time may revoke each other's new tokens a few times.
 */
const MAX_REJECTIONS = 2;

/**
 * Shortest wait in milliseconds before a run looks for a newer token that another run has stored.
 * The actual wait is random, so that one of two runs stores its token before the other one looks
 * for it.
 */
const REJECTION_WAIT_MS = 500;

/**
 * Number of times that a run whose new token was rejected looks for a newer one before it fetches
 * one itself. A busy database may need seconds to store a token.
 */
const MAX_LOOKS = 4;

/**
 * A run's credential. Each read decrypts the credential, so it is not read for each request, but
 * only when the run begins or the platform rejects the token.
 */
export class Session {
	/** Rejected tokens of this run. They are redacted, because a response may contain them. */
	private readonly rejectedTokens = new Set<string>();

	/** Cached spellings of the secrets, by token. Computing them for each request would take long. */
	private readonly spellings = new Map<string, string[]>();

	/** The latest token that was fetched for this run. */
	private newToken?: string;

	/** Weighted number of new tokens in a row that were rejected, see {@link MAX_REJECTIONS}. */
	private rejections = 0;

	/** The failure that ends the run, because no token can be fetched or new tokens are rejected. */
	private end?: Failed['failure'];

	/** The token replacement in progress. All requests with the rejected token wait for it. */
	private replacing?: Promise<void>;

	/**
	 * @param data the credential for requests that start now. If its `accessToken` is empty, a token
	 * is fetched before the next request and added to this object. `preAuthentication` removes
	 * `rejectedToken`, which tells it which token to return:
	 * - a token: any recent token except this one, because the platform has rejected it
	 * - an empty string: any recent token, such as one that another run has just fetched
	 * - absent, in requests of other nodes and in a credential test: any recent token except the
	 *   stored one or, if none is stored, a new token
	 */
	constructor(
		readonly context: NodeContext,
		readonly settings: Settings,
		public data: ICredentialDataDecryptedObject,
	) {}

	/**
	 * Returns the credential for a request. If it contains no token, one is fetched first, so that
	 * the exchange does not use up the request's timeout.
	 *
	 * @param what the name of the request in messages, such as "the post"
	 */
	async withToken(what: string): Promise<{ data: ICredentialDataDecryptedObject } | Failed> {
		const { data, settings, end } = this;
		if (end) return failed.credentialUnusable(what, end.message, end);
		if (tokenIn(data.accessToken, settings)) return { data };
		data.accessToken = '';
		// n8n fetches and stores a token before it sends a request. This request is never sent, because
		// its signal is already aborted. `preAuthentication` also sets the token in `data`.
		const error: unknown = await withTimeout(
			MAX_EXCHANGE_MS,
			async () => await this.request(data, AbortSignal.abort(), { url: settings.baseUrl.href }),
		).catch((thrown: unknown) => thrown);
		// The token can be used even if n8n could not store it.
		if (data.accessToken) {
			this.newToken = data.accessToken;
			return { data };
		}
		const { message = '' } = originalErrorOf(error);
		const why = redact(message, this.secretsOf(data));
		const failure = exchangeFailure(settings, message) ?? { description: FIX_CREDENTIAL };
		const { reason, description = '', cause } = failure;
		if (reason) return failed.notSent(what, reason, description, cause);
		// If the cause is not temporary, an exchange for the next item would also fail.
		if (!cause) this.end = { ...failure, message: why };
		return failed.credentialUnusable(what, why, failure);
	}

	/**
	 * Returns the credential for a request with the App Secret instead of a token. If the credential
	 * contains no token, a placeholder prevents n8n from fetching one. The placeholder is never sent,
	 * and it is too short to be redacted as a secret.
	 */
	dataForSecret() {
		return this.data.accessToken ? this.data : { ...this.data, accessToken: '-' };
	}

	/**
	 * Sends a request with the credential's authentication. n8n calls `authenticate` in
	 * credentials/authenticate.ts for each request, and `preAuthentication` first if there is no
	 * token. n8n uses `data` instead of the stored credential, but stores a new
	 * token in the node's credential.
	 *
	 * @param signal aborts the request. It is set in the context, because n8n replaces a signal in
	 * `options` with the context's signal.
	 */
	async request(
		data: ICredentialDataDecryptedObject,
		signal: AbortSignal,
		options: IHttpRequestOptions,
	): Promise<unknown> {
		const { context } = this;
		return await context.helpers.httpRequestWithAuthentication.call(
			Object.create(context, {
				getExecutionCancelSignal: { value: () => signal },
			}) as typeof context,
			CREDENTIAL_TYPE,
			options,
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data } },
		);
	}

	/** Returns the spellings of all secrets that a response may contain. */
	secretsOf({ appSecret, accessToken }: ICredentialDataDecryptedObject, more: string[] = []) {
		const key = JSON.stringify([this.rejectedTokens.size, accessToken]);
		const known =
			this.spellings.get(key) ?? secretsIn(appSecret, accessToken, ...this.rejectedTokens);
		this.spellings.set(key, known);
		return [...known, ...secretsIn(...more)];
	}

	/** Resets the count of rejected tokens, because the platform has accepted one. */
	tokenAccepted() {
		this.rejections = 0;
	}

	/**
	 * Replaces a token that the platform has rejected, unless another request of this run has already
	 * done so. If another run has stored another token, that token is used, because fetching yet
	 * another one could revoke it.
	 *
	 * @param rejection the failure of the request with this token
	 * @returns whether the run can send requests with another token
	 */
	async replaceToken(rejected: string, rejection: Failed['failure']): Promise<boolean> {
		this.rejectedTokens.add(rejected);
		if (this.data.accessToken === rejected && !this.end) {
			this.replacing ??= this.readAgain(rejected).finally(() => (this.replacing = undefined));
			await this.replacing;
			if (this.data.accessToken === rejected) {
				this.end = {
					...rejection,
					message: `The platform has rejected the access token: ${rejection.reason}`,
				};
			}
		}
		return !this.end;
	}

	private async readAgain(rejected: string) {
		const isNew = rejected === this.newToken;
		let stored = this.data;
		let isReplaced = false;
		for (let looks = 0; looks < (isNew ? MAX_LOOKS : 1) && !isReplaced; looks++) {
			if (isNew) await sleep(REJECTION_WAIT_MS * (1 + 2 * Math.random()));
			stored = await this.context.getCredentials(CREDENTIAL_TYPE, 0).catch(() => stored);
			const token = stored.accessToken as string;
			isReplaced = token !== '' && !this.rejectedTokens.has(token);
		}
		const isOther = ['baseUrl', 'appId', 'appSecret'].some(
			(name) => stored[name] !== this.data[name],
		);
		// If the credential now belongs to another application, only later runs use it.
		if (isOther) return;
		if (isReplaced) this.rejections += 0.25;
		else if (isNew) this.rejections++;
		if (this.rejections >= MAX_REJECTIONS) return;
		const accessToken = (isReplaced && stored.accessToken) || '';
		this.data = { ...stored, accessToken, rejectedToken: rejected };
	}
}

/** Whether expressions in the credential read the item. Items may then have different settings. */
export async function readsItem(context: NodeContext, data: ICredentialDataDecryptedObject) {
	// An expression that reads the item usually has another value or fails for a nonexistent item.
	const itemCount = context.getInputData(0, 'main').length;
	return await isOtherFor(context, data, itemCount).catch(() => true);
}

async function isOtherFor(
	context: NodeContext,
	data: ICredentialDataDecryptedObject,
	itemIndex: number,
) {
	const settingsOf = (all: object) => JSON.stringify({ ...all, accessToken: '' });
	const ofItem = await context.getCredentials(CREDENTIAL_TYPE, itemIndex);
	return settingsOf(ofItem) !== settingsOf(data);
}

/**
 * Opens a session with the credential, whose settings must be the same for all items.
 *
 * @param what the name of the requests in messages, such as "the post"
 */
export async function openSession(context: NodeContext, what: string): Promise<Session | Failed> {
	let data: ICredentialDataDecryptedObject;
	try {
		data = await context.getCredentials(CREDENTIAL_TYPE, 0);
		const itemCount = context.getInputData(0, 'main').length;
		const mayDiffer = itemCount > 1 && (await readsItem(context, data));
		for (let item = 1; mayDiffer && item < itemCount; item++) {
			if (await isOtherFor(context, data, item)) return failed.credentialUnusable(what, MIXED);
		}
	} catch (error) {
		return failed.unexpected(error);
	}
	try {
		return new Session(context, readSettings(data), { rejectedToken: '', ...data });
	} catch (error) {
		const isKnown = error instanceof CredentialUnusable;
		return failed.credentialUnusable(what, isKnown ? error.message : 'The credential is damaged.');
	}
}

/**
 * Sends a request, and rejects with a timeout error if it is not completed in time. If the
 * execution is already canceled, nothing is sent. The request's signal is aborted when the
 * execution is canceled, and always at the end, so that n8n does not send a request that it is
 * still preparing, the connection of an unread body is closed, and the timer keeps no reference to
 * the response.
 */
export async function withTimeout<T>(
	ms: number,
	send: (signal: AbortSignal) => Promise<T>,
	canceled?: AbortSignal,
): Promise<T> {
	const end = new AbortController();
	const { signal } = end;
	canceled?.throwIfAborted();
	canceled?.addEventListener('abort', () => end.abort(), { signal });
	try {
		return await new Promise((resolve, reject) => {
			// `readConnectionError` (connection.ts) recognizes a timeout by the first word.
			const timedOut = () =>
				reject(new OperationalError('timeout: the complete response did not arrive in time'));
			AbortSignal.timeout(ms).addEventListener('abort', timedOut, { signal });
			send(signal).then(resolve, reject);
		});
	} finally {
		// Without a reason, Node.js creates an error with a stack trace for each request.
		end.abort('ended');
	}
}
