import type { IDataObject } from 'n8n-workflow';
import { startEmulator, type Emulator, type EmulatorOptions } from '../../emulator';
import { CredentialStore } from './credentialStore';
import { startNode, type NodeResult, type NodeRun, type RunningNode } from './engine';

/** An emulator and a stored credential for it. */
export interface Platform {
	emulator: Emulator;
	store: CredentialStore;
	credentialId: string;
	/** The data of the credential. Tests change it before a run. */
	credential: IDataObject;
	/** Runs Create Post, or the operation in the parameters, once. */
	run(parameters?: IDataObject, more?: Partial<NodeRun>): Promise<NodeResult>;
	/** Starts a run, for tests that observe or cancel it. */
	start(parameters?: IDataObject, more?: Partial<NodeRun>): RunningNode;
	/** Returns the requests that the emulator received for an operation. */
	received(operation: string): Emulator['received'];
	stop(): Promise<void>;
}

let identities = 0;

/** Starts a platform with an App ID of its own, because the package caches tokens by application. */
export async function startPlatform(
	options: EmulatorOptions = {},
	store = new CredentialStore(),
): Promise<Platform> {
	const appId = `app_${process.pid}_${identities++}`;
	const emulator = await startEmulator({ appId, ...options });
	const credentialId = String(store.stored.size + 1);
	const credential: IDataObject = {
		baseUrl: emulator.url,
		appId,
		appSecret: emulator.appSecret,
		accessToken: '',
	};
	store.stored.set(credentialId, credential as never);
	const start: Platform['start'] = (parameters = {}, more = {}) =>
		startNode({ store, credentialId, parameters: { ...postFields, ...parameters }, ...more });
	return {
		emulator,
		store,
		credentialId,
		credential,
		start,
		run: async (parameters, more) => await start(parameters, more).done,
		received: (operation) => emulator.received.filter((r) => r.operation === operation),
		stop: async () => await emulator.stop(),
	};
}

/** Starts a platform for each test of the file. */
export function usePlatform(options: EmulatorOptions = {}): Platform {
	const platform = {} as Platform;
	beforeEach(async () => void Object.assign(platform, await startPlatform(options)));
	afterEach(async () => await platform.stop());
	return platform;
}

/** Returns a test with a platform of its own, for tests that wait and therefore run at the same time. */
export const withPlatform =
	(run: (platform: Platform) => Promise<void>, store?: CredentialStore) => async () => {
		const platform = await startPlatform({}, store);
		await run(platform).finally(async () => await platform.stop());
	};

/** Shortens the random waits before a run looks for a newer token to 10 milliseconds, for each test of the file. */
export function useShortTokenWaits(): void {
	beforeEach(() => void jest.spyOn(Math, 'random').mockReturnValue(-0.49));
	afterEach(() => jest.restoreAllMocks());
}

/** The parameters of a valid post. */
export const postFields: IDataObject = {
	socialAccountId: 'acc_1',
	text: 'Hello',
	mediaUrls: ['https://cdn.example/a.jpg'],
	// Validate would open the link.
	options: { checkMedia: false },
};
