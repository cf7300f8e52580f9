import type { Answer } from '../../n8n/load';
import type { ContenderName } from './contenders';
import type { Signature } from './deliveries';

/** What is measured: deliveries of one kind to one contender, and the answer that they must get. */
export interface Lane {
	contender: ContenderName;
	signature: Signature;
	status: number;
	/** Part of the answer's text. */
	says: string;
	/** Whether each one starts an execution. */
	executes: boolean;
}

const lane = (
	contender: ContenderName,
	signature: Signature,
	status: number,
	says: string,
	executes = true,
): Lane => ({ contender, signature, status, says, executes });

const ACCEPTED = '"result":"accepted"';
const STARTED = 'Workflow was started';

export const accepting: Lane[] = [
	lane('ours', 'genuine', 200, ACCEPTED),
	lane('uncached', 'genuine', 200, ACCEPTED),
	lane('floor', 'genuine', 200, '"ok":true'),
	lane('floorWithCredential', 'genuine', 200, '"ok":true'),
	lane('bare', 'genuine', 200, STARTED),
	lane('chain', 'genuine', 200, STARTED),
];

/** The chain cannot refuse: it has answered and started before it looks at the signature. */
export const refusing: Lane[] = [
	lane('ours', 'forged', 401, '', false),
	lane('refuser', 'forged', 401, '', false),
	lane('chain', 'forged', 200, STARTED),
];

/** What is wrong with an answer; undefined where nothing is. */
export function complaintAbout(answer: Answer, { status, says }: Lane): string | undefined {
	if (answer.status === status && answer.text.includes(says)) return undefined;
	return `${answer.status} ${answer.text.slice(0, 200)}`;
}
