import { ratio } from '../../n8n/statistics';
import { digits } from '../table';
import type { ContenderName } from './contenders';
import type { Figures, Measurement } from './measure';

export interface Goal {
	title: string;
	wanted: number;
	reached: number;
	/** What a trigger that does next to nothing reaches: n8n's own part, which nobody can leave out. */
	host: number;
}

const rates = (figures: Map<ContenderName, Figures>, name: ContenderName): number[] =>
	figures.get(name)?.perSecond ?? [];

/**
 * Accepted by the trigger, against another contender. The host's own part is that of a trigger that
 * does nothing but has a credential, as every trigger that verifies something must.
 */
function accepts(measurement: Measurement, than: 'floor' | 'bare', wanted: number): Goal {
	const { engine, accepted } = measurement;
	const other = than === 'floor' ? 'a trigger that does nothing' : 'the bare Webhook node';
	const title = `accepted per second with ${engine.title}, against ${other}`;
	const against = (name: ContenderName) => ratio(rates(accepted, name), rates(accepted, than));
	return { title, wanted, reached: against('ours'), host: against('floorWithCredential') };
}

/** Refused by the trigger, against accepted; by the host alone, in a trigger that refuses everything. */
function refuses({ engine, accepted, refused }: Measurement, wanted: number): Goal {
	const title = `refused per second with ${engine.title}, against accepted`;
	const against = (refuser: ContenderName, accepter: ContenderName) =>
		ratio(rates(refused, refuser), rates(accepted, accepter));
	const host = against('refuser', 'floorWithCredential');
	return { title, wanted, reached: against('ours', 'ours'), host };
}

/** What the trigger is to reach: as good as a community trigger can be, and cheap to refuse. */
export function goals(standard: Measurement, lazy: Measurement): Goal[] {
	return [
		accepts(standard, 'floor', 0.95),
		accepts(lazy, 'floor', 0.95),
		accepts(lazy, 'bare', 1.1),
		refuses(standard, 2),
		refuses(lazy, 5),
	];
}

export const verdict = ({ title, wanted, reached, host }: Goal): string =>
	`${reached >= wanted ? 'PASS' : 'MISS'}: ${title}: ${digits(reached)} × (goal: ${wanted} ×; n8n's own part alone: ${digits(host)} ×)`;
