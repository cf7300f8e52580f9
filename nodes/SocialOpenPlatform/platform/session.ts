import type {
	ICredentialDataDecryptedObject,
	IExecuteFunctions,
	ISupplyDataFunctions,
} from 'n8n-workflow';
import { secretsIn } from './redact';
import { CredentialUnusable, readSettings, type Settings } from './settings';
import { credentialUnusable, unexpected, type Failed } from './outcome';

/** The context of a node that processes items, or of a node that supplies a model. */
type NodeContext = IExecuteFunctions | ISupplyDataFunctions;

/** The name of the credential type. It is frozen, because saved workflows contain it. */
export const CREDENTIAL_TYPE = 'socialOpenPlatformApi';

const MIXED =
	'Expressions in the credential give the items different settings. Send the items of each application in a run of their own, for example with Loop Over Items.';

const READS_TOOL_ITEM =
	'Expressions in the credential read the item, which an agent can change. Enter fixed values.';

/**
 * The credential during one run. It is read and checked once, because each reading decrypts it. It
 * is read again only if the platform rejects its token.
 */
export class Session {
	/** Tokens that the platform has rejected in this run. A response may contain any of them. */
	private readonly rejectedTokens = new Set<string>();

	private secrets: string[] = [];

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
	 * The credential for a request without a token. If there is no token, it contains a placeholder,
	 * because n8n would fetch a token otherwise. The placeholder is never sent, and it is too short
	 * to be redacted as a secret.
	 */
	credentialWithoutExchange() {
		return this.data.accessToken ? this.data : { ...this.data, accessToken: '-' };
	}

	/**
	 * Secrets that a response may contain and that nobody must see. The list stays the same while the
	 * secrets do, because their spellings are kept with it.
	 */
	secretsOf({ appSecret, accessToken }: ICredentialDataDecryptedObject) {
		const secrets = secretsIn(appSecret, accessToken, ...this.rejectedTokens);
		if (secrets.join() !== this.secrets.join()) this.secrets = secrets;
		return this.secrets;
	}

	/**
	 * Replaces a token that the platform has rejected, unless another request of this run has already
	 * done so. If another process has stored another token, this token is used, because fetching yet
	 * another one would revoke it.
	 */
	async replaceToken(rejected: string) {
		this.rejectedTokens.add(rejected);
		if (this.data.accessToken !== rejected) return;
		this.replacing ??= this.readAgain(rejected).finally(() => (this.replacing = undefined));
		await this.replacing;
	}

	private async readAgain(rejected: string) {
		// In queue mode, another process may have changed the credential.
		const stored = await this.context.getCredentials(CREDENTIAL_TYPE, 0).catch(() => this.data);
		const isOther = ['baseUrl', 'appId', 'appSecret'].some(
			(name) => stored[name] !== this.data[name],
		);
		// A credential that was changed to another application is used from the next run on.
		if (isOther) return;
		const { accessToken } = stored;
		const isReplaced = accessToken && !this.rejectedTokens.has(accessToken as string);
		this.data = { ...stored, accessToken: isReplaced ? accessToken : '', rejectedToken: rejected };
	}
}

/** Returns why a run cannot use a credential whose expressions read the item. */
async function issueOfExpressions(context: NodeContext, data: ICredentialDataDecryptedObject) {
	const itemCount = context.getInputData(0, 'main').length;
	const isTool = context.getNode().type.endsWith('Tool');
	const settingsOf = (all: object) => JSON.stringify({ ...all, accessToken: '' });
	const isOtherFor = async (item: number) =>
		settingsOf(await context.getCredentials(CREDENTIAL_TYPE, item)) !== settingsOf(data);
	if (itemCount < 2 && !isTool) return undefined;
	// Expressions that read the item have another value for an item that does not exist.
	if (!(await isOtherFor(itemCount).catch(() => true))) return undefined;
	if (isTool) return READS_TOOL_ITEM;
	for (let item = 1; item < itemCount; item++) if (await isOtherFor(item)) return MIXED;
	return undefined;
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
		const issue = await issueOfExpressions(context, data);
		if (issue) return credentialUnusable(what, issue);
	} catch (error) {
		return unexpected(error);
	}
	try {
		// The credential's `preAuthentication` reads `rejectedToken`. If it is empty, a token that another
		// run has just fetched is used, too.
		return new Session(context, readSettings(data), { rejectedToken: '', ...data });
	} catch (error) {
		const isKnown = error instanceof CredentialUnusable;
		return credentialUnusable(what, isKnown ? error.message : 'The credential is damaged.');
	}
}
