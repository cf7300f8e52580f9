import { createHash } from 'node:crypto';
import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationItemTypes,
	DeduplicationScope,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

/** Returns an entry as n8n stores it. */
export const hashOf = (item: DeduplicationItemTypes) =>
	createHash('md5').update(String(item)).digest('base64');

/** Simulates the duration of a database query. */
const databaseDelay = async () => await new Promise(setImmediate);

/**
 * n8n's store of processed items, in memory. As in n8n, it has a list of hashes for each workflow and
 * context, and each change reads and writes a whole list without a lock.
 */
export class DeduplicationStore implements IDataDeduplicator {
	/** The lists by workflow and context. */
	readonly lists = new Map<string, string[]>();

	/** The number of requests by workflows of the current test. */
	calls = 0;

	/** Called before each of these requests. It may throw an error, as a database does. */
	before: (kind: 'check' | 'remove' | 'clear') => void = () => {};

	/** The prefix of the current test's workflow IDs. Workflows of earlier tests may still send requests. */
	private workflows = '';

	private static installed?: DeduplicationStore;

	/** Makes n8n-core use the store. */
	static async install(
		store = DeduplicationStore.installed ?? new DeduplicationStore(),
	): Promise<DeduplicationStore> {
		if (DeduplicationStore.installed === store) return store;
		DeduplicationStore.installed = store;
		// n8n-core accepts one store, and test files that share a process share n8n-core.
		Object.assign(DataDeduplicationService, { instance: undefined });
		await DataDeduplicationService.init(store);
		return store;
	}

	reset(workflows = ''): void {
		this.lists.clear();
		this.calls = 0;
		this.before = () => {};
		this.workflows = workflows;
	}

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		{ maxEntries }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const list = await this.read('check', scope, context);
		const isFirst = list === undefined;
		const data = list ?? [];
		const output: IDeduplicationOutput = { new: [], processed: [] };
		const known = new Set(data);
		for (const item of items) {
			const isNew = isFirst || !known.has(hashOf(item));
			output[isNew ? 'new' : 'processed'].push(item);
			if (isNew) data.push(hashOf(item));
		}
		if (maxEntries) data.splice(0, data.length - maxEntries);
		await this.write(scope, context, data, isFirst);
		return output;
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		const data = await this.read('remove', scope, context);
		if (!data) return;
		for (const item of items) {
			const index = data.indexOf(hashOf(item));
			if (index !== -1) data.splice(index, 1);
		}
		await this.write(scope, context, data);
	}

	async clearAllProcessedItems(
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<void> {
		this.begin('clear', context);
		await databaseDelay();
		this.lists.delete(nameOf(scope, context));
	}

	async getProcessedDataCount(): Promise<number> {
		throw new Error('The node does not use this method');
	}

	protected async get(name: string): Promise<string[] | undefined> {
		return structuredClone(this.lists.get(name));
	}

	/** @throws Error if another process has created the list in the meantime */
	async put(name: string, data: string[], isFirst: boolean): Promise<void> {
		if (isFirst && this.lists.has(name)) throw new Error('UNIQUE constraint: processed_data');
		// An update of a deleted row changes nothing.
		if (isFirst || this.lists.has(name)) this.lists.set(name, data);
	}

	private begin(
		kind: Parameters<DeduplicationStore['before']>[0],
		{ workflow }: ICheckProcessedContextData,
	): void {
		if (!workflow.id?.startsWith(this.workflows)) return;
		this.calls++;
		this.before(kind);
	}

	private async read(
		kind: 'check' | 'remove',
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
	): Promise<string[] | undefined> {
		this.begin(kind, context);
		await databaseDelay();
		return await this.get(nameOf(scope, context));
	}

	private async write(
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		data: string[],
		isFirst = false,
	): Promise<void> {
		await databaseDelay();
		await this.put(nameOf(scope, context), data, isFirst);
	}
}

function nameOf(scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData): string {
	return `${workflow.id} ${scope === 'node' ? `n:${node!.id}` : ''}`;
}
