import type { Gate } from '../../transport/gate';
import type { NodeError } from '../itemError';
import { waited } from '../waited';

/** What may become of a post, in the words and the order of the summary. */
const fates = {
	accepted: 'accepted',
	earlier: 'accepted at an earlier try and not sent again',
	skipped: 'skipped because their key was posted before',
	refused: 'not accepted',
	unknown: 'unknown',
	left: 'not sent yet',
} as const;
export type Fate = keyof typeof fates;

/** How many posts of a run met each fate. */
export type Tally = Map<Fate, number>;

export function count(tally: Tally, fate: Fate, by = 1): void {
	tally.set(fate, (tally.get(fate) ?? 0) + by);
}

const ON_ITS_OWN =
	'The platform publishes on its own: the status "processing" or "queued" does not say yet that a post is out.';
const NOT_AGAIN =
	'A retry of this execution sends only those that certainly were not accepted; a new one starts over.';

function isUnknown({ context }: NodeError): boolean {
	return (context.data as { outcome?: string } | undefined)?.outcome === 'unknown';
}

/** What a run knows of its posts in the end. */
export interface RunFacts {
	tally: Tally;
	errors: NodeError[];
	items: number;
	/** Posts of the run that were accepted at any try, those included that this one did not reach. */
	accepted: number;
	gate: Pick<Gate, 'rateLimits'>;
}

/** Says after a run what became of its posts, and how long the platform made them wait. */
export function summaryOf({ tally, errors, items, accepted, gate }: RunFacts): string {
	const all: Tally = new Map(tally);
	const earlier = accepted - (all.get('accepted') ?? 0);
	if (earlier > (all.get('earlier') ?? 0)) all.set('earlier', earlier);
	const unknown = errors.filter(isUnknown).length;
	if (unknown > 0) count(all, 'unknown', unknown);
	if (errors.length > unknown) count(all, 'refused', errors.length - unknown);
	const left = items - [...all.values()].reduce((sum, posts) => sum + posts, 0);
	if (left > 0) count(all, 'left', left);
	const parts = (Object.keys(fates) as Fate[])
		.filter((fate) => all.has(fate))
		.map((fate) => `${all.get(fate)} ${fates[fate]}`);
	return [
		`Posts: ${parts.join(', ')}.`,
		waited(gate),
		all.has('accepted') && ON_ITS_OWN,
		errors.length > 0 && NOT_AGAIN,
	]
		.filter(Boolean)
		.join(' ');
}
