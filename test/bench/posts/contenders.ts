export type BaselineName = 'baseline5' | 'baseline10';

export type WorkflowName =
	| 'ours5'
	| 'ours10'
	| 'ready5'
	| 'ready10'
	| 'ready20'
	| 'ready50'
	| 'plain'
	| 'json'
	| 'batched'
	| 'spaced'
	| 'loop5'
	| 'loop10'
	| 'host';

export type ContenderName = WorkflowName | BaselineName;

/** A way to post in the comparison. */
export interface Contender {
	title: string;
	/** The baseline with the same number of connections, or with ten if there is no limit. */
	baseline?: BaselineName;
	/** Runs in the first round only, because it takes long. */
	isSlow?: boolean;
	/** Runs only over TLS at a distance. */
	isDistant?: boolean;
	/** Posts nothing. */
	isIdle?: boolean;
}

const HTTP_REQUEST = 'HTTP Request';

export const contenders: Record<ContenderName, Contender> = {
	ours5: { title: 'This node, Max Concurrent Requests 5', baseline: 'baseline5' },
	ours10: { title: 'This node, Max Concurrent Requests 10', baseline: 'baseline10' },
	ready5: { title: 'The same with 5 and a valid token', baseline: 'baseline5' },
	ready10: { title: 'The same with 10 and a valid token', baseline: 'baseline10' },
	ready20: { title: 'The same with 20 and a valid token', isDistant: true },
	ready50: { title: 'The same with 50 and a valid token', isDistant: true },
	plain: { title: `${HTTP_REQUEST} with its defaults`, baseline: 'baseline10' },
	json: { title: `${HTTP_REQUEST}, body as one expression`, baseline: 'baseline10' },
	batched: { title: `${HTTP_REQUEST}, batches of 10, interval 0`, baseline: 'baseline10' },
	spaced: {
		title: `${HTTP_REQUEST}, batches of 10, 1000 ms`,
		baseline: 'baseline10',
		isSlow: true,
	},
	loop5: { title: `Loop Over Items (5) → ${HTTP_REQUEST}`, baseline: 'baseline5' },
	loop10: { title: `Loop Over Items (10) → ${HTTP_REQUEST}`, baseline: 'baseline10' },
	host: { title: 'n8n with a node that does nothing', isIdle: true },
	baseline5: { title: 'Baseline: 5 connections without n8n', baseline: 'baseline5' },
	baseline10: { title: 'Baseline: 10 connections without n8n', baseline: 'baseline10' },
};

/** The maximum number of connections. */
export const connectionLimits: Record<
	'ours5' | 'ours10' | 'ready5' | 'ready10' | 'ready20' | 'ready50' | BaselineName,
	number
> = {
	ours5: 5,
	ours10: 10,
	ready5: 5,
	ready10: 10,
	ready20: 20,
	ready50: 50,
	baseline5: 5,
	baseline10: 10,
};

/** The contenders that run over plain HTTP on one machine. */
export const names = (Object.keys(contenders) as ContenderName[]).filter(
	(name) => !contenders[name].isDistant,
);

export const isBaseline = (name: ContenderName): name is BaselineName =>
	name.startsWith('baseline');

/** Whether the access token has expired before each run. n8n's own node could not fetch a new one. */
export const isWithoutToken = (name: ContenderName): boolean => name.startsWith('ours');
