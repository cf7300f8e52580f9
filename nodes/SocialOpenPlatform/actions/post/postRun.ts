import { NodeOperationError, type IExecuteFunctions } from 'n8n-workflow';
import type { Gate } from '../../transport/gate';
import type { Line } from '../../transport/request';
import type { NodeError } from '../itemError';
import { Ledger } from '../ledger';
import { openGate, openLine } from '../openLine';
import type { Run } from '../operation';
import { optionsReader, type OptionsReading } from './create.options';
import { summaryOf, type Tally } from './create.summary';
import { digestOf, fingerprinter, type Fingerprint } from './fingerprint';
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
	gate: Gate;
	/** Absent when the credential cannot be used: nothing is sent then. */
	line?: Line;
	ledger: Ledger;
	tally: Tally;
	/** Whether an AI agent calls the node. */
	isTool: boolean;
	history: (scope: KeyScope, size: number) => KeyHistory;
}

/**
 * Reads what the posts of a run share. A credential that cannot be used ends the run only if nothing
 * was sent before: otherwise each item tells what is known of its post.
 *
 * @throws NodeApiError when the credential cannot be used
 */
export async function beginPosts(this: IExecuteFunctions): Promise<PostRun> {
	const opened = await openLine.call(this, 'the post').catch((error: Error) => ({ error }));
	const line = 'line' in opened ? opened.line : undefined;
	const { gate, width } = 'line' in opened ? { ...opened, ...opened.line } : openGate.call(this);
	const isInTool = isTool.call(this);
	const ledger = new Ledger(this.getContext('node'), {
		runIndex: this.getWorkflowDataProxy(0).$runIndex as number,
		isTool: isInTool,
		executionId: this.getExecutionId(),
		app: line && digestOf(line.session.settings.appId),
	});
	if ('error' in opened && ledger.isEmpty) throw opened.error as NodeError;
	const parameter = parameterReader.call(this, isInTool);
	const readOptions = optionsReader();
	const tally: Tally = new Map();
	const items = this.getInputData().length;
	return {
		width,
		read: line
			? postReading.call(this, line.session.settings, parameter)
			: unreadable.call(this, (opened as { error: NodeError }).error),
		options: (itemIndex) => readOptions(parameter('options', itemIndex, {})),
		fingerprint: fingerprinter.call(this, isInTool),
		gate,
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

/** For a run whose credential cannot be used: the same error for each item. */
function unreadable(this: IExecuteFunctions, { message, description, context }: NodeError) {
	return (itemIndex: number): never => {
		const options = { itemIndex, description: description ?? undefined };
		const error = new NodeOperationError(this.getNode(), message, options);
		error.context.data = context?.data ?? { outcome: 'not_sent' };
		throw error;
	};
}
