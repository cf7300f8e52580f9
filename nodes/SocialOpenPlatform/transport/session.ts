import {
	sleep,
	type ICredentialDataDecryptedObject,
	type IExecuteFunctions,
	type ISupplyDataFunctions,
} from 'n8n-workflow';
import { CredentialUnusable, readSettings, type Settings } from '../protocol/settings';
import { dropOldest } from '../protocol/bounded';
import { hasNewerToken } from './tokenCache';
import { credentialUnusable, unexpected, type Failed } from './outcome';

/** The context of a node that processes items, or of a node that supplies a model. */
type NodeContext = IExecuteFunctions | ISupplyDataFunctions;

/** The name of the credential type. It is frozen, because saved workflows contain it. */
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

/**
 * Milliseconds within which a new token cannot have expired. If it is rejected within this time,
 * another process has revoked it.
 */
const FRESH_MS = 5_000;

/** Maximum number of rejected tokens that a session remembers. */
const MAX_REJECTED = 20;

/** A placeholder for a token. It is never sent, and it is too short to be redacted as a secret. */
const NO_TOKEN = '-';

/**
 * The credential during one run. It is read and checked once, because each reading decrypts it. It
 * is read again only if the platform rejects its token.
 */
export class Session {
	private secrets: readonly string[] = [];

	/** Tokens that the platform has rejected in this run. A response may contain any of them. */
	private readonly rejectedTokens = new Set<string>();

	private withoutExchange?: ICredentialDataDecryptedObject;

	/**
	 * The token that n8n fetched last for this run, and the Unix time in milliseconds at which this
	 * happened.
	 */
	private fetched?: { token: string; at: number };

	/** Whether another process has stored another token during this run. */
	private isReplacedElsewhere = false;

	constructor(
		readonly context: NodeContext,
		readonly settings: Settings,
		private data: ICredentialDataDecryptedObject,
	) {}

	/**
	 * The credential for a request. If its `accessToken` is empty, n8n fetches a token. Otherwise
	 * this is always the same object, so that its settings are read only once.
	 */
	credential(): ICredentialDataDecryptedObject {
		return this.data.accessToken ? this.data : withoutToken(this.data, '');
	}

	/**
	 * The credential for a request without a token. If there is no token, it contains a placeholder,
	 * because n8n would fetch a token otherwise.
	 */
	credentialWithoutExchange(): ICredentialDataDecryptedObject {
		this.withoutExchange ??= this.data.accessToken
			? this.data
			: { ...this.data, accessToken: NO_TOKEN };
		return this.withoutExchange;
	}

	/**
	 * Secrets that a response may contain and that nobody must see. The list is the same object as
	 * long as nothing changes.
	 */
	secretsOf(data: ICredentialDataDecryptedObject): readonly string[] {
		const { appSecret, accessToken, rejectedToken } = data;
		const secrets = [appSecret, accessToken, rejectedToken, ...this.rejectedTokens].map((secret) =>
			typeof secret === 'string' ? secret : '',
		);
		const isSame =
			secrets.length === this.secrets.length &&
			secrets.every((secret, index) => secret === this.secrets[index]);
		if (!isSame) this.secrets = secrets;
		return this.secrets;
	}

	/** The token for requests that start now, or empty text if there is none. */
	get token(): string {
		return (this.data.accessToken as string | undefined) ?? '';
	}

	/**
	 * Keeps the token that n8n has fetched for a request, unless the session's token has changed
	 * since the request began.
	 */
	keepToken({ accessToken }: ICredentialDataDecryptedObject, tokenBefore: string): void {
		if (!accessToken || this.token !== tokenBefore) return;
		this.data = { ...this.data, accessToken };
		this.fetched = { token: accessToken as string, at: Date.now() };
	}

	/**
	 * Returns the credential for sending a request again after the platform has rejected its token.
	 * If this run or another process already has a newer token, this token is used, because fetching
	 * yet another one would revoke it.
	 *
	 * @param tookMs milliseconds that the request took
	 */
	async replaceToken(rejected: string, tookMs: number): Promise<ICredentialDataDecryptedObject> {
		this.rejectedTokens.add(rejected);
		dropOldest(this.rejectedTokens, MAX_REJECTED);
		if (this.data.accessToken === rejected) {
			const stored = await this.storedAfter(rejected, tookMs);
			if (this.data.accessToken === rejected) this.data = stored;
		}
		const { accessToken } = this.data;
		if (accessToken && accessToken !== rejected) return this.data;
		return withoutToken(this.data, rejected);
	}

	/**
	 * Returns the stored credential. If the token has only expired or was revoked, this takes no
	 * time. If other processes also fetch tokens, they first get time to store their tokens. If the
	 * credential cannot be read, the present one is returned.
	 */
	private async storedAfter(
		rejected: string,
		tookMs: number,
	): Promise<ICredentialDataDecryptedObject> {
		const read = async () => await readCredential(this.context).catch(() => this.data);
		const stored = await read();
		if (stored.accessToken !== rejected) {
			this.isReplacedElsewhere = true;
			return stored;
		}
		const isFresh = this.isFresh(rejected, tookMs);
		const isAlone = !isFresh && !this.isReplacedElsewhere;
		if (isAlone || hasNewerToken(this.settings, rejected)) return stored;
		await awaitOtherProcesses(rejected, tookMs, isFresh);
		return await read();
	}

	/**
	 * Whether this run fetched the token right before the request. In this case, another process has
	 * revoked it.
	 */
	private isFresh(token: string, tookMs: number): boolean {
		const { fetched } = this;
		return fetched?.token === token && Date.now() - fetched.at - tookMs < FRESH_MS;
	}
}

/**
 * Returns credential data that makes n8n fetch a token. It also contains the token that the
 * platform has rejected.
 */
function withoutToken(
	data: ICredentialDataDecryptedObject,
	rejectedToken: string,
): ICredentialDataDecryptedObject {
	return { ...data, accessToken: '', rejectedToken };
}

/** Reads the stored credential. In queue mode, another process may have changed it. */
async function readCredential(context: NodeContext): Promise<ICredentialDataDecryptedObject> {
	return await context.getCredentials(CREDENTIAL_TYPE, 0);
}

/**
 * Opens a session, and reads the credential for it.
 *
 * @param what how messages name the requests, such as "the post"
 */
export async function openSession(context: NodeContext, what: string): Promise<Session | Failed> {
	let data: ICredentialDataDecryptedObject;
	try {
		data = await readCredential(context);
	} catch (error) {
		return unexpected(error);
	}
	try {
		return new Session(context, readSettings(data), data);
	} catch (error) {
		const isKnown = error instanceof CredentialUnusable;
		return credentialUnusable(what, isKnown ? error.message : 'The credential is damaged.');
	}
}

/** Milliseconds within which other processes usually store a new token. */
const SPREAD_MS = 600;

/**
 * An exchange takes longer on a slow platform. It is assumed to take this many times as long as the
 * rejected request.
 */
const EXCHANGE_FACTOR = 4;

const MAX_SPREAD_MS = 4_000;

/** Maximum number of tokens for which a wait is remembered. */
const MAX_WAITS = 100;

const waits = new Map<string, Promise<void>>();

/**
 * Gives other processes of n8n time to store a new token. n8n has no lock for credentials across
 * processes, so two workers that each fetch a token would keep revoking each other's tokens. The
 * wait is random, so that one of them is first and the others find the token that it has stored.
 * All requests of this process with the same token share one wait.
 *
 * @param tookMs milliseconds that the rejected request took
 * @param isFetched whether another process certainly has fetched a token. The wait is then always
 * long enough for it to store the token.
 */
async function awaitOtherProcesses(
	rejected: string,
	tookMs: number,
	isFetched: boolean,
): Promise<void> {
	const spread = Math.min(Math.max(SPREAD_MS, EXCHANGE_FACTOR * tookMs), MAX_SPREAD_MS);
	const wait = waits.get(rejected) ?? sleep(spread * (Number(isFetched) + Math.random()));
	waits.set(rejected, wait);
	dropOldest(waits, MAX_WAITS);
	await wait;
}
