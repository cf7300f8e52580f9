import { ratio } from '../../n8n/statistics';
import { digits } from '../table';
import type { ContenderName } from './contenders';
import type { Figures, Measurement } from './measure';

export interface Goal {
	title: string;
	wanted: number;
	reached: number;
	/** The result of a trigger that does nothing, which is the limit for every trigger. */
	host: number;
}

const rates = (figures: Map<ContenderName, Figures>, name: ContenderName): number[] =>
	figures.get(name)?.perSecond ?? [];

/**
 * Accepted deliveries, compared with another contender. The limit is a trigger that does nothing, but has
 * a credential, because every trigger that verifies signatures needs one.
 */
function accepts(measurement: Measurement, than: 'baseline' | 'bare', wanted: number): Goal {
	const { engine, accepted } = measurement;
	const other = than === 'baseline' ? 'a trigger that does nothing' : 'the Webhook node';
	const title = `accepted per second with ${engine.title}, compared with ${other}`;
	const against = (name: ContenderName) => ratio(rates(accepted, name), rates(accepted, than));
	return { title, wanted, reached: against('ours'), host: against('baselineWithCredential') };
}

/** Refused deliveries, compared with accepted ones. The limit is a trigger that refuses everything. */
function refuses({ engine, accepted, refused }: Measurement, wanted: number): Goal {
	const title = `refused per second with ${engine.title}, compared with accepted`;
	const against = (refuser: ContenderName, accepter: ContenderName) =>
		ratio(rates(refused, refuser), rates(accepted, accepter));
	const host = against('refuser', 'baselineWithCredential');
	return { title, wanted, reached: against('ours', 'ours'), host };
}

export function goals(standard: Measurement, lazy: Measurement): Goal[] {
	return [
		accepts(standard, 'baseline', 0.97),
		accepts(lazy, 'baseline', 0.95),
		accepts(lazy, 'bare', 1.1),
		refuses(standard, 2),
		refuses(lazy, 5),
	];
}

/** A line of the report about a goal. LIMIT means that n8n itself does not reach the goal. */
export function verdict({ title, wanted, reached, host }: Goal): string {
	const word = reached >= wanted ? 'PASS' : host < wanted ? 'LIMIT' : 'MISS';
	return `${word}: ${title}: ${digits(reached)} × (goal: ${wanted} ×; limit in n8n: ${digits(host)} ×)`;
}
