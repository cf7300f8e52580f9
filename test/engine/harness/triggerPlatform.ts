import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import {
	startEmulator,
	type DeliverOptions,
	type Emulator,
	type EmulatorOptions,
} from '../../emulator';
import { CredentialStore } from './credentialStore';
import { WebhookHost } from './webhookHost';
import { log } from './webhookLog';
import type { Told } from './webhookResponse';

/** The stored credential, and how often it was read. */
class WatchedStore extends CredentialStore {
	reads = 0;

	/** Runs before the credential is read. If it throws, the credential cannot be read. */
	reading: () => Promise<void> | void = () => {};

	override async getDecrypted(
		...args: Parameters<CredentialStore['getDecrypted']>
	): Promise<ICredentialDataDecryptedObject> {
		this.reads++;
		await this.reading();
		return await super.getDecrypted(...args);
	}
}

/** An emulator that delivers to a trigger, and the credential they share. */
export interface TriggerPlatform {
	emulator: Emulator;
	host: WebhookHost;
	store: WatchedStore;
	/** The data of the credential. */
	credential: IDataObject;
	/** Delivers once by HTTP, and returns the response; undefined if there was none. */
	deliver(event?: object | string, options?: DeliverOptions): Promise<Told | undefined>;
	/** Another trigger on the same credential. */
	another(parameters?: IDataObject): Promise<WebhookHost>;
	/** The items that started executions so far. */
	items(): IDataObject[];
	/** The log entries of this trigger. */
	warnings(): string[];
	stop(): Promise<void>;
}

/** An event as the platform might send it, different each time. */
export const event = (data: IDataObject = {}): IDataObject => ({
	id: `evt_${events++}`,
	data: { action_sn: 'SA1', social_post_id: 10086, status: 'published', ...data },
});
let events = 1;

export async function startTrigger(
	parameters: IDataObject = {},
	options: EmulatorOptions = {},
): Promise<TriggerPlatform> {
	const emulator = await startEmulator(options);
	const store = new WatchedStore();
	const credential: IDataObject = {
		baseUrl: emulator.url,
		appId: emulator.appId,
		appSecret: emulator.appSecret,
		accessToken: '',
	};
	store.stored.set('1', credential as never);
	const host = await new WebhookHost(store, parameters).start();
	emulator.setWebhook(host.url);
	const hosts = [host];
	const logged = log.length;
	return {
		...{ emulator, host, store, credential },
		async deliver(payload = event(), deliverOptions = {}) {
			const to = hosts.find(({ url }) => url === deliverOptions.url) ?? host;
			const { attempts } = await emulator.deliver(payload, deliverOptions);
			const told = to.told.at(-1);
			if (attempts[0]!.status === null) return undefined;
			expect(told?.status).toBe(attempts[0]!.status);
			return told;
		},
		async another(own = {}) {
			const other = await new WebhookHost(store, own).start();
			hosts.push(other);
			return other;
		},
		items: () => host.executions.flatMap(({ items }) => items),
		warnings: () => log.slice(logged).map(({ message }) => message),
		async stop() {
			await emulator.stop();
			await Promise.all(hosts.map(async (one) => await one.stop()));
		},
	};
}
