import type { IExecuteFunctions } from 'n8n-workflow';
import { Gate } from '../transport/gate';
import type { Line } from '../transport/request';
import { openSession } from '../transport/session';
import { paceSchema } from '../parameters/pace';

/** Items are read ahead of their turn, so that the next one is ready when one has been answered. */
const READ_AHEAD = 2;

/** An option that holds for a whole run, as the first item has it. One that is wrong is told by item. */
function runOption(
	this: IExecuteFunctions,
	name: 'maxConcurrentRequests' | 'minimumInterval',
): number {
	const schema = paceSchema.shape[name];
	try {
		const value = this.getNodeParameter(`options.${name}`, 0, undefined) as unknown;
		return schema.safeParse(value).data ?? schema.parse(undefined);
	} catch {
		return schema.parse(undefined);
	}
}

/** Limits how many requests of one run are on their way, as the options of the first item say. */
export function openGate(this: IExecuteFunctions): { gate: Gate; width: number } {
	const width = runOption.call(this, 'maxConcurrentRequests');
	const minimumInterval = runOption.call(this, 'minimumInterval');
	const gate = new Gate({
		width,
		intervalMs: minimumInterval * 1000,
		closesAtFailure: !this.continueOnFail(),
		signal: this.getExecutionCancelSignal(),
	});
	return { gate, width: READ_AHEAD * width };
}

/**
 * Opens what the requests of one run share.
 *
 * @param what what is to be asked for, as the object of a sentence: "the post"
 * @returns the line, and how many items are worked on at the same time
 * @throws NodeApiError when the credential cannot be used
 */
export async function openLine(
	this: IExecuteFunctions,
	what: string,
): Promise<{ line: Line; width: number }> {
	const session = await openSession.call(this, what);
	const { gate, width } = openGate.call(this);
	return { line: { session, gate }, width };
}
