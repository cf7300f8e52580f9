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
import { redact, secretsIn } from './redact';
import { CredentialUnusable, readSettings, tokenIn, type Settings } from './settings';
import { exchangeFailure } from './token';

/** The context of a node that processes items, or of a node that supplies a model. */
type NodeContext = IExecuteFunctions | ISupplyDataFunctions;

/** The name of the credential type. It is frozen, because saved workflows contain it. */
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

const MIXED =
	'Expressions in the credential give the items different settings. Send the items of each application in a run of their own, for example with Loop Over Items.';

/** Milliseconds for a token exchange: 20 seconds for the exchange itself, and the rest for storing. */
const MAX_EXCHANGE_MS = 25_000;

/**
 * Number of new tokens in a row that the platform may reject before the run gives up. A token counts
 * only a quarter if another process has stored a newer one: when two processes replace an expired
 * token at the same time, they may revoke each other's new tokens a few times.
 */
const MAX_REJECTIONS = 2;

/**
 * Shortest wait in milliseconds before a run looks for the newer token of another process. The wait is
 * random, so that one of two processes stores its token before the other one looks for it.
 */
const REJECTION_WAIT_MS = 500;

/**
 * Number of times that a run looks for a newer token before it fetches one itself. A busy database
 * needs seconds to store a token.
 */
const MAX_LOOKS = 4;

/**
 * The credential during one run. It is read and checked once, because each reading decrypts it. It
 * is read again only if the platform rejects its token.
 */
export class Session {
	/** Tokens that the platform has rejected in this run. A response may contain any of them. */
	private readonly rejectedTokens = new Set<string>();

	/** The spellings of the secrets for each token, because computing them for each request takes long. */
	private readonly spellings = new Map<string, string[]>();

	/** The latest token that was fetched for this run. */
	private newToken?: string;

	/** Counts the new tokens in a row that the platform has rejected, see {@link MAX_REJECTIONS}. */
	private rejections = 0;

	/** Why the run sends nothing more: its new tokens are rejected, or it gets none. */
	private end?: Failed['failure'];

	/** The replacement of a token that is under way. Requests share it, because reading takes time. */
	private replacing?: Promise<void>;

	/**
	 * @param data the credential for requests that start now. If its `accessToken` is empty, n8n
	 * fetches a token for the next request and stores it in this object.
	 */
	constructor(
		readonly context: NodeContext,
		readonly settings: Settings,
		public data: ICredentialDataDecryptedObject,
	) {}

	/**
	 * Returns the credential for a request, with a token that is fetched if there is none. The request
	 * then has its whole timeout for itself.
	 *
	 * @param what the name of the request in messages, such as "the post"
	 */
	async withToken(what: string): Promise<{ data: ICredentialDataDecryptedObject } | Failed> {
		const { data, settings, end } = this;
		if (end) return failed.credentialUnusable(what, end.message, end);
		if (tokenIn(data.accessToken, settings)) return { data };
		data.accessToken = '';
		// n8n fetches and stores a token before it sends this request, which is aborted from the start.
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
		// Without a cause that may end by itself, an exchange for each item would fail, too.
		if (!cause) this.end = { ...failure, message: why };
		return failed.credentialUnusable(what, why, failure);
	}

	/**
	 * Returns the credential for a request without a token. If there is no token, it contains a
	 * placeholder, because n8n would fetch a token otherwise. The placeholder is never sent, and it is
	 * too short to be redacted as a secret.
	 */
	withoutToken() {
		return this.data.accessToken ? this.data : { ...this.data, accessToken: '-' };
	}

	/**
	 * Sends a request with the authentication of the credential. n8n calls `authenticate` in
	 * credentials/SocialOpenPlatformApi.credentials.ts for each request, and without a token
	 * `preAuthentication` first. n8n uses `data` in place of the stored credential, and stores a new
	 * token in the credential of the node.
	 *
	 * @param signal replaces that of the context, which n8n would use instead of the one in `options`
	 */
	async request(
		data: ICredentialDataDecryptedObject,
		signal: AbortSignal,
		options: IHttpRequestOptions,
	): Promise<unknown> {
		const { context } = this;
		const canceled = context.getExecutionCancelSignal();
		const either = canceled ? AbortSignal.any([signal, canceled]) : signal;
		return await context.helpers.httpRequestWithAuthentication.call(
			Object.create(context, {
				getExecutionCancelSignal: { value: () => either },
			}) as typeof context,
			CREDENTIAL_TYPE,
			options,
			{ credentialsDecrypted: { id: '', name: '', type: CREDENTIAL_TYPE, data } },
		);
	}

	/** Secrets that a response may contain and that nobody must see. */
	secretsOf({ appSecret, accessToken }: ICredentialDataDecryptedObject, more: string[] = []) {
		const key = JSON.stringify([this.rejectedTokens.size, accessToken]);
		const known =
			this.spellings.get(key) ?? secretsIn(appSecret, accessToken, ...this.rejectedTokens);
		this.spellings.set(key, known);
		return [...known, ...secretsIn(...more)];
	}

	/** Notes that the platform has accepted the token of a request. */
	tokenAccepted() {
		this.rejections = 0;
	}

	/**
	 * Replaces a token that the platform has rejected, unless another request of this run has already
	 * done so. If another process has stored another token, this token is used, because fetching yet
	 * another one would revoke it.
	 *
	 * @param rejection the failure of the request with this token
	 * @returns false if the run sends nothing more, because its new tokens are rejected, too
	 */
	async replaceToken(rejected: string, rejection: Failed['failure']): Promise<boolean> {
		this.rejectedTokens.add(rejected);
		if (this.data.accessToken === rejected && !this.end) {
			this.replacing ??= this.readAgain(rejected).finally(() => (this.replacing = undefined));
			await this.replacing;
			if (this.data.accessToken === rejected) {
				const message = `The platform has rejected new access tokens: ${rejection.reason}`;
				this.end = { ...rejection, message };
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
		// A credential that was changed to another application is used from the next run on.
		if (isOther) return;
		if (isReplaced) this.rejections += 0.25;
		else if (isNew) this.rejections++;
		if (this.rejections >= MAX_REJECTIONS) return;
		const accessToken = (isReplaced && stored.accessToken) || '';
		this.data = { ...stored, accessToken, rejectedToken: rejected };
	}
}

/** Whether expressions in the credential read the item, so that items may have different settings. */
export async function readsItem(context: NodeContext, data: ICredentialDataDecryptedObject) {
	// Expressions that read the item have another value for an item that does not exist.
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
 * Opens a session, and reads the credential for it.
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
		// The credential's `preAuthentication` reads `rejectedToken`. If it is empty, a token that another
		// run has just fetched is used, too.
		return new Session(context, readSettings(data), { rejectedToken: '', ...data });
	} catch (error) {
		const isKnown = error instanceof CredentialUnusable;
		return failed.credentialUnusable(what, isKnown ? error.message : 'The credential is damaged.');
	}
}

/**
 * Rejects with a timeout error if a request is not completed in time. Its signal is aborted at the
 * end, because n8n may still be preparing the request, which must not be sent any more, and n8n
 * keeps the connection of a body that was not read to its end. The timer then keeps no reference to
 * the response, which must not stay in memory until the timer ends.
 */
export async function withTimeout<T>(
	ms: number,
	send: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const end = new AbortController();
	const { signal } = end;
	try {
		return await new Promise((resolve, reject) => {
			const timedOut = () =>
				reject(new OperationalError('timeout: the complete response did not arrive in time'));
			AbortSignal.timeout(ms).addEventListener('abort', timedOut, { signal });
			send(signal).then(resolve, reject);
		});
	} finally {
		end.abort();
	}
}
