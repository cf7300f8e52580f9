import {
	ICredentialsHelper,
	NodeHelpers,
	type ICredentialDataDecryptedObject,
	type ICredentials,
	type IHttpRequestHelper,
	type IHttpRequestOptions,
	type INode,
	type INodeCredentialsDetails,
	type INodeParameters,
	type INodeProperties,
	getCredentialOwnRequestAllowedDomains,
	injectDomainRestrictionFields,
} from 'n8n-workflow';
import { SocialOpenPlatformApi } from '../../../credentials/SocialOpenPlatformApi.credentials';

/** The helpers of a token request, which n8n limits to the domains that the credential allows. */
function restrictedTo(
	credentials: ICredentialDataDecryptedObject,
	{ helpers: { httpRequest } }: IHttpRequestHelper,
): IHttpRequestHelper {
	return {
		helpers: {
			httpRequest: async (options) => {
				const allowedDomains = getCredentialOwnRequestAllowedDomains(credentials);
				return (await httpRequest({ ...options, allowedDomains })) as unknown;
			},
		},
	};
}

/**
 * Credentials in memory. As in n8n, `preAuthentication` runs if the expirable property is empty, after HTTP
 * 401 and in a credential test. Its result is stored without a lock. Each call reads the stored data again.
 */
export class CredentialStore extends ICredentialsHelper {
	private readonly type = new SocialOpenPlatformApi();

	/** The stored data, by credential ID. */
	readonly stored = new Map<string, ICredentialDataDecryptedObject>();

	/** How often a token was stored. */
	updates = 0;

	getParentTypes(): string[] {
		return [];
	}

	isCredentialUsableByNode(): boolean {
		return true;
	}

	async authenticate(
		credentials: ICredentialDataDecryptedObject,
		_type: string,
		options: IHttpRequestOptions,
	): Promise<IHttpRequestOptions> {
		return await this.type.authenticate(credentials, options);
	}

	async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		_type: string,
		node: INode,
		credentialsExpired: boolean,
	): Promise<ICredentialDataDecryptedObject | undefined> {
		if (credentials.accessToken !== '' && !credentialsExpired) return undefined;
		const output = await this.type.preAuthentication.call(
			restrictedTo(credentials, helpers),
			credentials,
		);
		if (output.accessToken === undefined) return undefined;
		const details = node.credentials![this.type.name]!;
		await this.updateCredentials(details, this.type.name, {
			...(await this.read(details.id!)),
			...output,
		});
		return Object.assign(credentials, output);
	}

	async runPreAuthentication(): Promise<undefined> {
		return undefined;
	}

	async getCredentials(): Promise<ICredentials> {
		throw new Error('Not needed: data is stored decrypted');
	}

	async getDecrypted(
		...args: Parameters<ICredentialsHelper['getDecrypted']>
	): Promise<ICredentialDataDecryptedObject> {
		const [, details, , mode, executeData, , given] = args;
		// A database query takes at least one turn of the event loop.
		await new Promise(setImmediate);
		const stored = await this.read(details.id!);
		const properties = injectDomainRestrictionFields(this.type);
		// n8n adds defaults and drops the values of hidden fields.
		const shown = NodeHelpers.getNodeParameters(
			properties,
			stored as INodeParameters,
			...([true, false, null, null] as const),
		);
		if (!given) return { ...shown } as ICredentialDataDecryptedObject;
		const { workflow, runExecutionData, runIndex, itemIndex, node, connectionInputData } = given;
		return workflow.expression.getParameterValue(
			{ ...shown },
			...([runExecutionData, runIndex, itemIndex, node.name, connectionInputData] as const),
			...([mode, {}, executeData, false, shown!] as const),
		) as ICredentialDataDecryptedObject;
	}

	async updateCredentials(
		details: INodeCredentialsDetails,
		_type: string,
		data: ICredentialDataDecryptedObject,
	): Promise<void> {
		await new Promise(setImmediate);
		this.updates++;
		await this.write(details.id!, data);
	}

	protected async read(id: string): Promise<ICredentialDataDecryptedObject> {
		return structuredClone(this.stored.get(id)!);
	}

	protected async write(id: string, data: ICredentialDataDecryptedObject): Promise<void> {
		this.stored.set(id, structuredClone(data));
	}

	async updateCredentialsOauthTokenData(): Promise<void> {}

	getCredentialsProperties(): INodeProperties[] {
		return this.type.properties;
	}
}
