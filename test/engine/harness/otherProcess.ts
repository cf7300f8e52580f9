import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { RemoteCalls } from './remoteCalls';
import type { NodeRun } from './engine';
import type { CredentialStore } from './credentialStore';
import type { DeduplicationStore } from './deduplicationStore';
import { postFields } from './platform';

const jsonExtensionLast = join(__dirname, 'jsonExtensionLast.cjs');

/** The result of a run in another process. */
export interface RemoteRunResult {
	error?: string;
	json: IDataObject[];
}

export type RemoteRun = Pick<
	NodeRun,
	'parameters' | 'items' | 'workflowId' | 'credentialId' | 'onError'
>;

/**
 * A second process with n8n's engine and the package, like a second n8n worker. It shares only stored
 * data with this process, which stores it for both.
 */
export class OtherProcess {
	private constructor(
		private readonly child: ChildProcess,
		private readonly remote: RemoteCalls,
	) {}

	/**
	 * @param shared the stores that the other process reads and writes
	 * @param env additional environment variables of the other process
	 */
	static async start(
		shared: { store: CredentialStore; deduplication: DeduplicationStore },
		env: NodeJS.ProcessEnv = {},
	): Promise<OtherProcess> {
		const child = fork(join(__dirname, 'otherProcessMain.ts'), {
			execArgv: ['--require', require.resolve('tsx/cjs'), '--require', jsonExtensionLast],
			stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
			env: { ...process.env, ...env },
		});
		const remote = new RemoteCalls(child, {
			readCredential: async (id: string) => shared.store.stored.get(id),
			writeCredential: async (id: string, data: ICredentialDataDecryptedObject) => {
				shared.store.stored.set(id, data);
			},
			readList: async (name: string) => shared.deduplication.lists.get(name),
			writeList: async (name: string, data: string[], isFirst: boolean) =>
				shared.deduplication.put(name, data, isFirst),
		});
		const ended = once(child, 'exit').then(() =>
			Promise.reject(new Error('The other process did not start')),
		);
		await Promise.race([once(child, 'message'), ended]);
		return new OtherProcess(child, remote);
	}

	/** Runs Create Post once, as `Platform.run` does in this process. */
	async run(parameters: IDataObject = {}, more: Partial<RemoteRun> = {}): Promise<RemoteRunResult> {
		const run: RemoteRun = { ...more, parameters: { ...postFields, ...parameters } };
		return await this.remote.call<RemoteRunResult>('run', run);
	}

	async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
		if (this.child.signalCode) return;
		const ended = once(this.child, 'exit');
		this.child.kill(signal);
		await ended;
	}
}
