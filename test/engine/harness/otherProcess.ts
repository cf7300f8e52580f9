import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';
import { CallLine } from './callLine';
import type { NodeRun } from './engine';
import { type Platform, postFields } from './platform';
import type { SeenStore } from './seenStore';

const codexLast = join(__dirname, 'codexLast.cjs');

/** The result of a run in another process. */
export interface RunElsewhere {
	error?: string;
	json: IDataObject[];
}

export type RunOrder = Pick<NodeRun, 'parameters' | 'items' | 'workflowId' | 'onError'>;

/**
 * A second process with n8n's engine and the package, like a second worker. The two share only the data
 * that n8n stores, which this process keeps.
 */
export class OtherProcess {
	private constructor(
		private readonly child: ChildProcess,
		private readonly line: CallLine,
	) {}

	/**
	 * @param at the credential and the seen items that the other process reads and writes
	 * @param env its additional environment variables
	 */
	static async start(
		at: { platform: Platform; seen: SeenStore },
		env: NodeJS.ProcessEnv = {},
	): Promise<OtherProcess> {
		const child = fork(join(__dirname, 'otherProcessMain.ts'), {
			execArgv: ['--require', require.resolve('tsx/cjs'), '--require', codexLast],
			stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
			env: { ...process.env, ...env },
		});
		const line = new CallLine(child, {
			readCredential: async (id: string) => at.platform.store.stored.get(id),
			writeCredential: async (id: string, data: ICredentialDataDecryptedObject) => {
				at.platform.store.stored.set(id, data);
			},
			readList: async (name: string) => at.seen.lists.get(name),
			writeList: async (name: string, data: string[], isFirst: boolean) =>
				at.seen.put(name, data, isFirst),
		});
		const ended = once(child, 'exit').then(() => Promise.reject(new Error('It did not start')));
		await Promise.race([once(child, 'message'), ended]);
		return new OtherProcess(child, line);
	}

	/** Runs Create Post once, like `run` of a platform in this process. */
	async run(parameters: IDataObject = {}, more: Partial<RunOrder> = {}): Promise<RunElsewhere> {
		const order: RunOrder = { ...more, parameters: { ...postFields, ...parameters } };
		return await this.line.call<RunElsewhere>('run', order);
	}

	async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
		if (this.child.signalCode) return;
		const ended = once(this.child, 'exit');
		this.child.kill(signal);
		await ended;
	}
}
