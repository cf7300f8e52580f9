import type { IExecuteFunctions } from 'n8n-workflow';
import type { Line } from '../../transport/request';
import { isTool } from '../isTool';
import type { NodeError } from '../itemError';
import { openLine } from '../openLine';
import type { Run } from '../operation';
import { parameterReader, type ParameterReader } from '../../parameters/parameterReader';
import { summaryOf } from './chat.summary';

/** What the chat requests of one run share. */
export interface ChatRun extends Run {
	parameter: ParameterReader;
	line: Line;
	/** Tokens of every answer so far, where it says how many. */
	tokens: number[];
}

/**
 * Reads what holds for all items of a run.
 *
 * @throws NodeApiError when the credential cannot be used
 */
export async function beginChat(this: IExecuteFunctions): Promise<ChatRun> {
	const { line, width } = await openLine.call(this, 'the chat request');
	const items = this.getInputData().length;
	const tokens: number[] = [];
	return {
		width,
		parameter: parameterReader.call(this, isTool.call(this)),
		line,
		tokens,
		stopBehind: (itemIndex) => line.gate.closeBehind(itemIndex),
		summary: (errors: NodeError[]) => summaryOf({ tokens, errors, items, gate: line.gate }),
	};
}
