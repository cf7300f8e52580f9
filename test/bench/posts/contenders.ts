/** The ways to post that are compared, and what is known of each. */

export type FloorName = 'floor5' | 'floor10';

export type WorkflowName =
	| 'ours5'
	| 'ours10'
	| 'ready5'
	| 'ready10'
	| 'plain'
	| 'json'
	| 'batched'
	| 'spaced'
	| 'loop5'
	| 'loop10'
	| 'host';

export type ContenderName = WorkflowName | FloorName;

export interface Contender {
	title: string;
	/** What it is held against: as many connections without n8n, ten where it sets no bound itself. */
	floor?: FloorName;
	/** Runs in the first round only, because it takes so long. */
	isSlow?: boolean;
	/** Posts nothing. */
	isIdle?: boolean;
}

const HTTP_REQUEST = 'HTTP Request';

export const contenders: Record<ContenderName, Contender> = {
	ours5: { title: 'This node, Max Concurrent Requests 5', floor: 'floor5' },
	ours10: { title: 'This node, Max Concurrent Requests 10', floor: 'floor10' },
	ready5: { title: 'The same with 5, a good token at hand', floor: 'floor5' },
	ready10: { title: 'The same with 10, a good token at hand', floor: 'floor10' },
	plain: { title: `${HTTP_REQUEST} as it is: all at once`, floor: 'floor10' },
	json: { title: `${HTTP_REQUEST}, the body in one expression`, floor: 'floor10' },
	batched: { title: `${HTTP_REQUEST}, batches of 10, interval 0`, floor: 'floor10' },
	spaced: { title: `${HTTP_REQUEST}, batches of 10, 1000 ms`, floor: 'floor10', isSlow: true },
	loop5: { title: `Loop Over Items (5) → ${HTTP_REQUEST}`, floor: 'floor5' },
	loop10: { title: `Loop Over Items (10) → ${HTTP_REQUEST}`, floor: 'floor10' },
	host: { title: 'n8n alone: a node that does nothing', isIdle: true },
	floor5: { title: 'The floor: 5 kept connections, no n8n', floor: 'floor5' },
	floor10: { title: 'The floor: 10 kept connections, no n8n', floor: 'floor10' },
};

/** How many connections this node, or the floor, may have. */
export const widths: Record<'ours5' | 'ours10' | 'ready5' | 'ready10' | FloorName, number> = {
	ours5: 5,
	ours10: 10,
	ready5: 5,
	ready10: 10,
	floor5: 5,
	floor10: 10,
};

export const names = Object.keys(contenders) as ContenderName[];

export const isFloor = (name: ContenderName): name is FloorName => name.startsWith('floor');

/** Finds its access token expired in every run; n8n's own node could not get another on its own. */
export const isWithoutToken = (name: ContenderName): boolean => name.startsWith('ours');
