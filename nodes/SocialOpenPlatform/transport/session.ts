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

/** The context of a node that works on items, or of one that supplies a model. */
type NodeContext = IExecuteFunctions | ISupplyDataFunctions;

/** The credential's type name: part of the users' file format. */
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

/** A token that is rejected sooner than this has not expired, in milliseconds. */
const FRESH_MS = 5_000;

/** Rejected tokens that are remembered. */
const MAX_REJECTED = 20;

/** Takes the place of a token. It is never sent, and too short to be redacted as a secret. */
const NO_TOKEN = '-';

/**
 * The credential during one run. It is read and checked once, because each reading decrypts it, and
 * again only when the platform rejects its token.
 */
export class Session {
	private secrets: readonly string[] = [];

	/** Tokens that the platform has rejected in this run: a response may repeat an earlier one. */
	private readonly rejectedTokens = new Set<string>();

	private withoutExchange?: ICredentialDataDecryptedObject;

	/** The token that n8n fetched last for this run, and when, in milliseconds since 1970. */
	private fetched?: { token: string; at: number };

	/** Whether another process was seen to store another token while this run had one. */
	private isContested = false;

	constructor(
		readonly context: NodeContext,
		readonly settings: Settings,
		private data: ICredentialDataDecryptedObject,
	) {}

	/**
	 * The credential for one request. While there is a token it is always the same object, so that its
	 * settings are read once. n8n fetches a token where its `accessToken` is empty.
	 */
	credential(): ICredentialDataDecryptedObject {
		return this.data.accessToken ? this.data : withoutToken(this.data, '');
	}

	/** The same for an operation without a token. n8n would fetch one where there is none. */
	credentialWithoutExchange(): ICredentialDataDecryptedObject {
		this.withoutExchange ??= this.data.accessToken
			? this.data
			: { ...this.data, accessToken: NO_TOKEN };
		return this.withoutExchange;
	}

	/** What a response may repeat and nobody may see. The list is the same object while nothing changes. */
	secretsOf(data: ICredentialDataDecryptedObject): readonly string[] {
		const { appSecret, accessToken, refusedToken } = data;
		const secrets = [appSecret, accessToken, refusedToken, ...this.rejectedTokens].map((secret) =>
			typeof secret === 'string' ? secret : '',
		);
		const isSame =
			secrets.length === this.secrets.length &&
			secrets.every((secret, index) => secret === this.secrets[index]);
		if (!isSame) this.secrets = secrets;
		return this.secrets;
	}

	/** The token of requests that start now; empty when there is none. */
	get token(): string {
		return (this.data.accessToken as string | undefined) ?? '';
	}

	/** Keeps the token that n8n has fetched for a request, unless it changed since the request began. */
	keepToken({ accessToken }: ICredentialDataDecryptedObject, tokenBefore: string): void {
		if (!accessToken || this.token !== tokenBefore) return;
		this.data = { ...this.data, accessToken };
		this.fetched = { token: accessToken as string, at: Date.now() };
	}

	/**
	 * The credential for sending a request again whose token the platform rejected. A newer token that
	 * this run or another process has is used, because fetching yet another would end it.
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
	 * The stored credential. A token that has only expired or was revoked is replaced at once. Where other
	 * processes replace it too, they get time to store theirs. If the credential cannot be read, the
	 * present one is used.
	 */
	private async storedAfter(
		rejected: string,
		tookMs: number,
	): Promise<ICredentialDataDecryptedObject> {
		const read = async () => await readCredential(this.context).catch(() => this.data);
		const stored = await read();
		if (stored.accessToken !== rejected) {
			this.isContested = true;
			return stored;
		}
		const isFresh = this.isFresh(rejected, tookMs);
		const isAlone = !isFresh && !this.isContested;
		if (isAlone || hasNewerToken(this.settings, rejected)) return stored;
		await awaitOtherProcesses(rejected, tookMs, isFresh);
		return await read();
	}

	/** Whether this run fetched the token just before the request: then another process has ended it. */
	private isFresh(token: string, tookMs: number): boolean {
		const { fetched } = this;
		return fetched?.token === token && Date.now() - fetched.at - tookMs < FRESH_MS;
	}
}

/** Credential data that makes n8n fetch a token, and says which one the platform rejected. */
function withoutToken(
	data: ICredentialDataDecryptedObject,
	refusedToken: string,
): ICredentialDataDecryptedObject {
	return { ...data, accessToken: '', refusedToken };
}

/** The credential as it is stored now. In queue mode another process may have changed it. */
async function readCredential(context: NodeContext): Promise<ICredentialDataDecryptedObject> {
	return await context.getCredentials(CREDENTIAL_TYPE, 0);
}

/**
 * Reads the credential for a run.
 *
 * @param what the object of the requests, as in "the post"
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

/** Longer than most token exchanges take to be stored, in milliseconds. */
const SPREAD_MS = 600;

/** An exchange takes longer on a slow platform: this many times as long as the rejected request. */
const PER_REQUEST = 4;

const MAX_SPREAD_MS = 4_000;

/** Tokens whose waits are remembered. */
const MAX_WAITS = 100;

const waits = new Map<string, Promise<void>>();

/**
 * Gives other processes of n8n time to store the token by which they have ended this one's. Nothing
 * locks a credential across processes. Two workers that each fetch a token end each other's. The time
 * is random, so that one of them is first and the others find what it has stored. All requests of this
 * process with the same token wait once, together.
 *
 * @param tookMs milliseconds that the rejected request took
 * @param isEnded whether another process is known to have fetched a token that it is about to store
 */
async function awaitOtherProcesses(
	rejected: string,
	tookMs: number,
	isEnded: boolean,
): Promise<void> {
	const spread = Math.min(Math.max(SPREAD_MS, PER_REQUEST * tookMs), MAX_SPREAD_MS);
	const wait = waits.get(rejected) ?? sleep(spread * (Number(isEnded) + Math.random()));
	waits.set(rejected, wait);
	dropOldest(waits, MAX_WAITS);
	await wait;
}
