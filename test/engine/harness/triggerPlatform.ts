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
import type { SentResponse } from './webhookResponse';

/** A credential store that counts its reads. */
class WatchedStore extends CredentialStore {
	reads = 0;

	/** Runs before each read of the credential. If it throws, the read fails. */
	reading: () => Promise<void> | void = () => {};

	override async getDecrypted(
		...args: Parameters<CredentialStore['getDecrypted']>
	): Promise<ICredentialDataDecryptedObject> {
		this.reads++;
		await this.reading();
		return await super.getDecrypted(...args);
	}
}

/** An emulator that sends deliveries to a trigger, and the credential of both. */
export interface TriggerPlatform {
	emulator: Emulator;
	host: WebhookHost;
	store: WatchedStore;
	/** The data of the credential. */
	credential: IDataObject;
	/** Sends one delivery, and returns the response or undefined if there was none. */
	deliver(event?: object | string, options?: DeliverOptions): Promise<SentResponse | undefined>;
	/** Starts another trigger with the same credential. */
	another(parameters?: IDataObject): Promise<WebhookHost>;
	/** Returns the items with which executions were started so far. */
	items(): IDataObject[];
	/** Returns the messages that were logged since the start. */
	warnings(): string[];
	stop(): Promise<void>;
}

/** Returns an event as the platform might send it, with a new ID each time. */
export const event = (data: IDataObject = {}): IDataObject => ({
	id: `evt_${events++}`,
	data: { action_sn: 'SA1', social_post_id: 10086, status: 'published', ...data },
});
let events = 1;

const response = (status: number, body: object) => ({ status, body });
export const accepted = response(200, { ok: true, result: 'accepted', events: 1 });
export const duplicate = response(200, { ok: true, result: 'duplicate' });
export const ignored = response(200, { ok: true, result: 'ignored' });
export const refused = response(401, { ok: false, error: 'refused' });
export const tryAgainLater = response(503, { ok: false, error: 'try-again-later' });

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
			const response = to.responses.at(-1);
			if (attempts[0]!.status === null) return undefined;
			expect(response?.status).toBe(attempts[0]!.status);
			return response;
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

/** Starts a trigger for each test of the file. Each test may stop the clock. */
export function useTrigger(
	parameters: IDataObject = {},
	options: EmulatorOptions = {},
): TriggerPlatform {
	const platform = {} as TriggerPlatform;
	beforeEach(async () => {
		Object.assign(platform, await startTrigger({ ...parameters }, options));
	});
	afterEach(async () => {
		jest.useRealTimers();
		await platform.stop();
	});
	return platform;
}
