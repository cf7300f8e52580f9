import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import type { Settings } from '../protocol/settings';
import { dropOldest } from '../protocol/newest';
import { hasNewerToken } from '../protocol/tokenMemory';
import { awaitOthers } from './awaitOthers';
import type { Caller } from './caller';
import { readCredential, settingsOf } from './credential';

/**
 * The credential through one run: read and checked once, because every reading costs a decryption,
 * and read again only when the platform refuses its token.
 */
export class Session {
	constructor(
		readonly settings: Settings,
		private data: ICredentialDataDecryptedObject,
		private readonly readAgain: () => Promise<ICredentialDataDecryptedObject>,
	) {}

	private secrets: readonly string[] = [];

	/** Tokens that the platform has refused in this run: an answer may repeat an earlier one. */
	private readonly refusedTokens = new Set<string>();

	/**
	 * The credential for one request. n8n gets a token where its `accessToken` is empty, and changes the
	 * data only then; while there is a token it is the same object, whose reading can be kept.
	 */
	credential(): ICredentialDataDecryptedObject {
		return this.data.accessToken ? this.data : renewing(this.data, '');
	}

	/** The same for an operation that takes no token: n8n would get one where there is none. */
	credentialWithoutExchange(): ICredentialDataDecryptedObject {
		this.tokenless ??= this.data.accessToken
			? this.data
			: { ...this.data, accessToken: IN_PLACE_OF_A_TOKEN };
		return this.tokenless;
	}

	private tokenless?: ICredentialDataDecryptedObject;

	/** What a request with this credential may carry, or its answer repeat: the same list again. */
	secretsOf(data: ICredentialDataDecryptedObject): readonly string[] {
		const { appSecret, accessToken, refusedToken } = data;
		const own = [appSecret, accessToken, refusedToken, ...this.refusedTokens].map((secret) =>
			typeof secret === 'string' ? secret : '',
		);
		const isSame =
			own.length === this.secrets.length &&
			own.every((secret, index) => secret === this.secrets[index]);
		if (!isSame) this.secrets = own;
		return this.secrets;
	}

	/** The token that requests begun now are sent with, if there is one. */
	get token(): string {
		return (this.data.accessToken as string | undefined) ?? '';
	}

	/** Keeps the token that n8n has got for a request, unless another was got since it began. */
	keepToken({ accessToken }: ICredentialDataDecryptedObject, before: string): void {
		if (!accessToken || this.token !== before) return;
		this.data = { ...this.data, accessToken };
		this.fetched = { token: accessToken as string, at: Date.now() };
	}

	/**
	 * The credential for sending a request once more, whose token the platform refused. A newer token
	 * that this run or someone else has got meanwhile is used as it is, because yet another would end
	 * that one.
	 *
	 * @param tookMs milliseconds that the request took
	 */
	async withoutToken(refused: string, tookMs: number): Promise<ICredentialDataDecryptedObject> {
		this.refusedTokens.add(refused);
		dropOldest(this.refusedTokens, MAX_REFUSED);
		if (this.data.accessToken === refused) {
			const stored = await this.storedAfter(refused, tookMs);
			if (this.data.accessToken === refused) this.data = stored;
		}
		const { accessToken } = this.data;
		if (accessToken && accessToken !== refused) return this.data;
		return renewing(this.data, refused);
	}

	/** The token that n8n got last for this run, and when, in milliseconds since 1970. */
	private fetched?: { token: string; at: number };

	/** Whether somebody else was seen to store another token while this run had one. */
	private isContested = false;

	/**
	 * What is stored now. A token that has only expired or was revoked is replaced at once. Where others
	 * replace it too, and each new token may end the one before it, they get the time to store theirs. What
	 * cannot be read now is taken as it was: the token is renewed anyway.
	 */
	private async storedAfter(
		refused: string,
		tookMs: number,
	): Promise<ICredentialDataDecryptedObject> {
		const read = async () => await this.readAgain().catch(() => this.data);
		const stored = await read();
		if (stored.accessToken !== refused) {
			this.isContested = true;
			return stored;
		}
		const isFresh = this.isFresh(refused, tookMs);
		const isAlone = !isFresh && !this.isContested;
		if (isAlone || hasNewerToken(this.settings, refused)) return stored;
		await awaitOthers(refused, tookMs, isFresh);
		return await read();
	}

	/** Whether this run got a token a moment before the request: then somebody else has ended it. */
	private isFresh(token: string, tookMs: number): boolean {
		const { fetched } = this;
		return fetched?.token === token && Date.now() - fetched.at - tookMs < FRESH_MS;
	}
}

/** A token that is refused this soon has not expired, in milliseconds. */
const FRESH_MS = 5_000;

/** Refused tokens remembered at most; the oldest goes first. */
const MAX_REFUSED = 20;

/** Never sent; too short to be looked for as a secret. */
const IN_PLACE_OF_A_TOKEN = '-';

/** Credential data that makes n8n get a token, and tells which one the platform refused. */
function renewing(
	data: ICredentialDataDecryptedObject,
	refusedToken: string,
): ICredentialDataDecryptedObject {
	return { ...data, accessToken: '', refusedToken };
}

/**
 * Reads the credential for a run.
 *
 * @param what what is to be asked for, as the object of a sentence: "the post"
 * @throws NodeApiError when the credential cannot be used
 */
export async function openSession(this: Caller, what: string): Promise<Session> {
	const data = await readCredential.call(this);
	const readAgain = async () => await readCredential.call(this);
	return new Session(settingsOf.call(this, data, what), data, readAgain);
}
