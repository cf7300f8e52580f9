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

/** An entry as it is stored. */
export const hashOf = (item: DeduplicationItemTypes) =>
	createHash('md5').update(String(item)).digest('base64');

/** Simulates the duration of a database query. */
const aTurn = async () => await new Promise(setImmediate);

/**
 * The items that n8n has seen, with n8n's rules: a list of hashes for each workflow and context, which is
 * read and written back as a whole, without a lock.
 */
export class SeenStore implements IDataDeduplicator {
	/** By workflow and context. */
	readonly lists = new Map<string, string[]>();

	/** The number of requests by nodes of the current test's workflow. */
	calls = 0;

	/** Called before each request of such a node. It may throw like a database. */
	before: (kind: 'check' | 'remove' | 'clear') => void = () => {};

	/** The prefix of those workflow IDs. Nodes of earlier tests may still send requests. */
	private workflows = '';

	private static installed?: SeenStore;

	/** Makes n8n-core use the store. */
	static async install(store = SeenStore.installed ?? new SeenStore()): Promise<SeenStore> {
		if (SeenStore.installed === store) return store;
		SeenStore.installed = store;
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
		await aTurn();
		this.lists.delete(nameOf(scope, context));
	}

	async getProcessedDataCount(): Promise<number> {
		throw new Error('The node does not ask for it');
	}

	protected async get(name: string): Promise<string[] | undefined> {
		return structuredClone(this.lists.get(name));
	}

	/** @throws Error if another process has created the list meanwhile */
	async put(name: string, data: string[], isFirst: boolean): Promise<void> {
		if (isFirst && this.lists.has(name)) throw new Error('UNIQUE constraint: processed_data');
		// An update of a deleted row changes nothing.
		if (isFirst || this.lists.has(name)) this.lists.set(name, data);
	}

	private begin(
		kind: Parameters<SeenStore['before']>[0],
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
		await aTurn();
		return await this.get(nameOf(scope, context));
	}

	private async write(
		scope: DeduplicationScope,
		context: ICheckProcessedContextData,
		data: string[],
		isFirst = false,
	): Promise<void> {
		await aTurn();
		await this.put(nameOf(scope, context), data, isFirst);
	}
}

function nameOf(scope: DeduplicationScope, { workflow, node }: ICheckProcessedContextData): string {
	return `${workflow.id} ${scope === 'node' ? `n:${node!.id}` : ''}`;
}
