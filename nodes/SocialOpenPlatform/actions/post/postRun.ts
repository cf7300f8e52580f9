import type { IExecuteFunctions } from 'n8n-workflow';
import type { Line } from '../../transport/request';
import type { NodeError } from '../itemError';
import { Ledger } from '../ledger';
import { openLine } from '../openLine';
import type { Run } from '../operation';
import { optionsReader, type OptionsReading } from './create.options';
import { summaryOf, type Tally } from './create.summary';
import { fingerprinter, type Fingerprint } from './fingerprint';
import { KeyHistory } from './keys/keyHistory';
import type { KeyScope } from './keys/keyScope';
import { isTool } from '../isTool';
import { parameterReader } from '../../parameters/parameterReader';
import { postReading, type PostReading } from './readPost';

/** What the posts of one run share. */
export interface PostRun extends Run {
	read: PostReading;
	options: (itemIndex: number) => OptionsReading;
	fingerprint: Fingerprint;
	line: Line;
	ledger: Ledger;
	tally: Tally;
	/** Whether an AI agent calls the node. */
	isTool: boolean;
	history: (scope: KeyScope, size: number) => KeyHistory;
}

/**
 * Reads what holds for all posts of a run.
 *
 * @throws NodeApiError when the credential cannot be used
 */
export async function beginPosts(this: IExecuteFunctions): Promise<PostRun> {
	const { line, width } = await openLine.call(this, 'the post');
	const { session, gate } = line;
	const isInTool = isTool.call(this);
	const parameter = parameterReader.call(this, isInTool);
	const readOptions = optionsReader();
	const options = (itemIndex: number) => readOptions(parameter('options', itemIndex, {}));
	const runIndex = this.getWorkflowDataProxy(0).$runIndex as number;
	const executionId = this.getExecutionId();
	const ledger = new Ledger(this.getContext('node'), { runIndex, isTool: isInTool, executionId });
	const tally: Tally = new Map();
	const items = this.getInputData().length;
	return {
		width,
		read: postReading.call(this, session.settings, parameter),
		options,
		fingerprint: fingerprinter.call(this, session.settings.appId, isInTool),
		line,
		ledger,
		tally,
		isTool: isInTool,
		history: (scope, size) => KeyHistory.of(this, scope, size),
		stopBehind: (itemIndex) => gate.closeBehind(itemIndex),
		summary: (errors: NodeError[]) =>
			summaryOf({ tally, errors, items, accepted: ledger.acceptedItems(), gate }),
	};
}
