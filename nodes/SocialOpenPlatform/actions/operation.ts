import type { IExecuteFunctions } from 'n8n-workflow';
import type { NodeError } from './itemError';

/** What the items of one run of the node share. */
export interface Run {
	/** Items worked on at the same time. */
	width: number;
	/** Sends nothing behind an item; what stands before it goes on, begun or not. */
	stopBehind?: (itemIndex: number) => void;
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
