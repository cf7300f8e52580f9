import { CallLine } from './callLine';
import { startNode } from './engine';
import { CredentialStore } from './credentialStore';
import type { RunElsewhere, RunOrder } from './otherProcess';
import { SeenStore } from './seenStore';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** The program of {@link OtherProcess}. */

const line = new CallLine(process, {
	run: async (order: RunOrder): Promise<RunElsewhere> => {
		const { error, outputs } = await startNode({ store: new StoreElsewhere(), ...order }).done;
		return { error: error?.message, json: (outputs[0] ?? []).map(({ json }) => json) };
	},
});

class StoreElsewhere extends CredentialStore {
	protected override async read(id: string): Promise<ICredentialDataDecryptedObject> {
		return await line.call('readCredential', id);
	}

	protected override async write(id: string, data: ICredentialDataDecryptedObject): Promise<void> {
		await line.call('writeCredential', id, data);
	}
}

class SeenElsewhere extends SeenStore {
	protected override async get(name: string): Promise<string[] | undefined> {
		return await line.call('readList', name);
	}

	override async put(name: string, data: string[], isFirst: boolean): Promise<void> {
		await line.call('writeList', name, data, isFirst);
	}
}

void SeenStore.install(new SeenElsewhere()).then(() => process.send!({ ready: true }));
