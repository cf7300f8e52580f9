import type { IExecuteFunctions } from 'n8n-workflow';
import type { NodeError } from './itemError';

/** What the items of one run of the node share. */
export interface Run {
	/** Items worked on at the same time. */
	width: number;
	/** Begins nothing more; what is under way goes on. Called in the end in any case. */
	stop?: () => void;
	/** What became of the items, in words for the output pane or behind the error that ends the run. */
	summary?: (errors: NodeError[]) => string;
}

/** What an operation's file exports, beside its description. */
export interface Operation {
	/** Reads what holds for all items, once. */
	begin(this: IExecuteFunctions): Promise<Run>;
	/** One item in, one item's JSON out. The run is the one that `begin` returned. */
	execute(this: IExecuteFunctions, itemIndex: number, run: Run): Promise<object>;
}
