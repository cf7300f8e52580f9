import { RemoteCalls } from './remoteCalls';
import { startNode } from './engine';
import { CredentialStore } from './credentialStore';
import type { RemoteRunResult, RemoteRun } from './otherProcess';
import { DeduplicationStore } from './deduplicationStore';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** The program of {@link OtherProcess}. */

const remote = new RemoteCalls(process, {
	run: async (run: RemoteRun): Promise<RemoteRunResult> => {
		const { error, outputs } = await startNode({ store: new RemoteCredentialStore(), ...run }).done;
		return { error: error?.message, json: (outputs[0] ?? []).map(({ json }) => json) };
	},
});

class RemoteCredentialStore extends CredentialStore {
	protected override async read(id: string): Promise<ICredentialDataDecryptedObject> {
		return await remote.call('readCredential', id);
	}

	protected override async write(id: string, data: ICredentialDataDecryptedObject): Promise<void> {
		await remote.call('writeCredential', id, data);
	}
}

class RemoteDeduplicationStore extends DeduplicationStore {
	protected override async get(name: string): Promise<string[] | undefined> {
		return await remote.call('readList', name);
	}

	override async put(name: string, data: string[], isFirst: boolean): Promise<void> {
		await remote.call('writeList', name, data, isFirst);
	}
}

void DeduplicationStore.install(new RemoteDeduplicationStore()).then(() =>
	process.send!({ ready: true }),
);
