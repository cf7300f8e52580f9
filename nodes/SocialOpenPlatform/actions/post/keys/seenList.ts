import type { DeduplicationHelperFunctions } from 'n8n-workflow';
import type { KeyScope } from './keyScope';

/** n8n's own memory of what was seen, in its database: one list for a node, one for a workflow. */
export type SeenHelpers = Pick<
	DeduplicationHelperFunctions,
	'checkProcessedAndRecord' | 'removeProcessed' | 'clearAllProcessedItems'
>;

/** One way to that list, for the length of a run. */
export interface ListAccess {
	helpers: SeenHelpers;
	scope: KeyScope;
	/** Entries that are kept; the oldest go first. */
	most: number;
}

export type Change = 'add' | 'remove' | 'clear';

/**
 * Makes a change to the list, which n8n reads, changes and writes back whole.
 *
 * @returns which of the entries were added
 */
export async function change(
	kind: Change,
	{ helpers, scope, most }: ListAccess,
	entries: string[],
): Promise<Set<string>> {
	const options = { mode: 'entries' as const, maxEntries: most };
	if (kind === 'clear') {
		await helpers.clearAllProcessedItems(scope, options);
		return new Set();
	}
	if (kind === 'remove') {
		await helpers.removeProcessed(entries, scope, options);
		return new Set();
	}
	const { new: added } = await helpers.checkProcessedAndRecord(entries, scope, options);
	return new Set(added.map(String));
}
