import type { Answer } from '../../n8n/load';
import type { ContenderName } from './contenders';
import type { Signature } from './deliveries';

/** Deliveries of one kind to one contender, and the expected response. */
export interface Scenario {
	contender: ContenderName;
	signature: Signature;
	status: number;
	/** A part of the response. */
	says: string;
	/** Whether each delivery starts an execution. */
	executes: boolean;
}

const scenario = (
	contender: ContenderName,
	signature: Signature,
	status: number,
	says: string,
	executes = true,
): Scenario => ({ contender, signature, status, says, executes });

const ACCEPTED = '"result":"accepted"';
const STARTED = 'Workflow was started';

export const accepting: Scenario[] = [
	scenario('ours', 'genuine', 200, ACCEPTED),
	scenario('uncached', 'genuine', 200, ACCEPTED),
	scenario('baseline', 'genuine', 200, '"ok":true'),
	scenario('baselineWithCredential', 'genuine', 200, '"ok":true'),
	scenario('bare', 'genuine', 200, STARTED),
	scenario('chain', 'genuine', 200, STARTED),
];

/** The chain cannot refuse a delivery, because it responds before it checks the signature. */
export const refusing: Scenario[] = [
	scenario('ours', 'forged', 401, '', false),
	scenario('refuser', 'forged', 401, '', false),
	scenario('chain', 'forged', 200, STARTED),
];

/** What is wrong with a response, if anything. */
export function errorIn(answer: Answer, { status, says }: Scenario): string | undefined {
	if (answer.status === status && answer.text.includes(says)) return undefined;
	return `${answer.status} ${answer.text.slice(0, 200)}`;
}
