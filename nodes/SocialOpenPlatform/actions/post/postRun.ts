import type { IExecuteFunctions } from 'n8n-workflow';
import type { z } from 'zod/v4';
import { Gate } from '../../transport/gate';
import type { Line } from '../../transport/request';
import { openSession } from '../../transport/session';
import type { NodeError } from '../itemError';
import { Ledger } from '../ledger';
import type { Run } from '../operation';
import { optionsReader, optionsSchema, type CreateOptions } from './create.options';
import { summaryOf, type Tally } from './create.summary';
import { fingerprinter, type Fingerprint } from './fingerprint';
import { KeyHistory } from './keyHistory';
import type { KeyScope } from './keyScope';
import { isTool } from '../isTool';
import { parameterReader } from '../parameterReader';
import { postReading, type PostReading } from './readPost';

/** What the posts of one run share. */
export interface PostRun extends Run {
	read: PostReading;
	options: (itemIndex: number) => z.ZodSafeParseResult<CreateOptions>;
	fingerprint: Fingerprint;
	line: Line;
	ledger: Ledger;
	tally: Tally;
	/** Whether an AI agent calls the node. */
	isTool: boolean;
	history: (scope: KeyScope, size: number) => KeyHistory;
}

/** Posts are read ahead of their turn, so that the next one is ready when one has been answered. */
const READ_AHEAD = 2;

/** An option that holds for a whole run, as the first item has it. One that is wrong is told by item. */
function runOption(
	this: IExecuteFunctions,
	name: 'maxConcurrentRequests' | 'minimumInterval',
): number {
	const schema = optionsSchema.shape[name];
	try {
		const value = this.getNodeParameter(`options.${name}`, 0, undefined) as unknown;
		return schema.safeParse(value).data ?? schema.parse(undefined);
	} catch {
		return schema.parse(undefined);
	}
}

/**
 * Reads what holds for all posts of a run.
 *
 * @throws NodeApiError when the credential cannot be used
 */
export async function beginPosts(this: IExecuteFunctions): Promise<PostRun> {
	const session = await openSession.call(this, 'the post');
	const isInTool = isTool.call(this);
	const parameter = parameterReader.call(this, isInTool);
	const readOptions = optionsReader();
	const options = (itemIndex: number) => readOptions(parameter('options', itemIndex, {}));
	const width = runOption.call(this, 'maxConcurrentRequests');
	const minimumInterval = runOption.call(this, 'minimumInterval');
	const signal = this.getExecutionCancelSignal();
	const gate = new Gate({
		width,
		intervalMs: minimumInterval * 1000,
		closesAtFailure: !this.continueOnFail(),
		signal,
	});
	const runIndex = this.getWorkflowDataProxy(0).$runIndex as number;
	const ledger = new Ledger(this.getContext('node'), { runIndex, isTool: isInTool });
	const tally: Tally = new Map();
	const items = this.getInputData().length;
	return {
		width: READ_AHEAD * width,
		read: postReading.call(this, session.settings, parameter),
		options,
		fingerprint: fingerprinter.call(this, session.settings, isInTool),
		line: { session, gate },
		ledger,
		tally,
		isTool: isInTool,
		history: (scope, size) => KeyHistory.of(this, scope, size),
		stopBehind: (itemIndex) => gate.closeBehind(itemIndex),
		summary: (errors: NodeError[]) =>
			summaryOf({ tally, errors, items, accepted: ledger.accepted(), gate }),
	};
}
