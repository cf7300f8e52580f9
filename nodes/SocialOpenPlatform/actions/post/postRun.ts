import type { IExecuteFunctions } from 'n8n-workflow';
import { Gate } from '../../transport/gate';
import type { Line } from '../../transport/request';
import { openSession } from '../../transport/session';
import type { NodeError } from '../itemError';
import { Ledger } from '../ledger';
import type { Run } from '../operation';
import { optionsSchema } from './create.options';
import { summaryOf, type Tally } from './create.summary';
import { fingerprinter, type Fingerprint } from './fingerprint';
import { KeyHistory } from './keyHistory';
import type { KeyScope } from './keyScope';
import { parameterReader, type ParameterReader } from './parameters';
import { postReading, type PostReading } from './readPost';

/** What the posts of one run share. */
export interface PostRun extends Run {
	read: PostReading;
	parameter: ParameterReader;
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

/** What n8n adds to the type of a node that serves an agent as a tool. */
const TOOL_TYPE = /Tool$/;

/**
 * Reads what holds for all posts of a run.
 *
 * @throws NodeApiError when the credential cannot be used
 */
export async function beginPosts(this: IExecuteFunctions): Promise<PostRun> {
	const session = await openSession.call(this, 'the post');
	const parameter = parameterReader.call(this);
	// Options that cannot be read are each item's own error.
	const own = optionsSchema.safeParse(parameter('options', 0, {}));
	const { maxConcurrentRequests: width, minimumInterval } = own.data ?? optionsSchema.parse({});
	const signal = this.getExecutionCancelSignal();
	const gate = new Gate({ width, intervalMs: minimumInterval * 1000, signal });
	const isTool = TOOL_TYPE.test(this.getNode().type);
	const runIndex = this.getWorkflowDataProxy(0).$runIndex as number;
	const tally: Tally = new Map();
	const items = this.getInputData().length;
	return {
		width: READ_AHEAD * width,
		read: postReading.call(this, session.settings),
		parameter,
		fingerprint: fingerprinter.call(this, session.settings),
		line: { session, gate },
		ledger: new Ledger(this.getContext('node'), { runIndex, isTool }),
		tally,
		isTool,
		history: (scope, size) => KeyHistory.of(this, scope, size),
		stop: () => gate.close(),
		summary: (errors: NodeError[]) => summaryOf(tally, errors, items, gate),
	};
}
