import { median, ratio } from '../../n8n/statistics';
import { digits } from '../table';
import { type ContenderName, contenders, widths } from './contenders';
import type { Goal } from './goal';
import type { MemoryResults } from './memory';
import type { Outcome } from './outcome';
import type { Results } from './rounds';
import type { SlowResults } from './slow-platform';

/** What this node is to reach: as quick as can be, cheap, and never wider than it was told. */

type Measure = 'seconds' | 'cpuMsPerItem';

const rivals = [
	{ ours: 'ours5', ready: 'ready5', floor: 'floor5', loop: 'loop5' },
	{ ours: 'ours10', ready: 'ready10', floor: 'floor10', loop: 'loop10' },
] as const;

const times = (value: number): string => `${digits(value)} ×`;

function share(
	results: Results,
	what: string,
	measure: Measure,
	most: number,
	[ours, other, beside]: [ContenderName, ContenderName, ContenderName],
): Goal {
	const values = (name: ContenderName) =>
		(results.get(name) ?? []).map((outcome) => outcome[measure]);
	const reached = ratio(values(ours), values(other));
	return {
		title: what,
		reached: times(reached),
		wanted: `at most ${times(most)}`,
		isMet: reached <= most,
		beside: `${contenders[beside].title}: ${times(ratio(values(beside), values(other)))}`,
	};
}

/** Times and costs: 2.2 ms of CPU time for each post where the HTTP Request node takes 3.85. */
const shares = (results: Results): Goal[] =>
	rivals.flatMap(({ ours, ready, floor, loop }) => {
		const at = `with ${widths[ours]}`;
		const againstHttp = `CPU per post ${at}, against HTTP Request as it is`;
		const againstLoop = `wall ${at}, against Loop Over Items → HTTP Request, both with a token`;
		return [
			share(results, `wall ${at}, against the floor`, 'seconds', 1.12, [ours, floor, 'host']),
			share(results, againstLoop, 'seconds', 0.75, [ready, loop, floor]),
			share(results, againstHttp, 'cpuMsPerItem', 2.2 / 3.85, [ours, 'plain', 'host']),
		];
	});

function connections(title: string, width: number, outcomes: Outcome[]): Goal {
	const most = Math.max(...outcomes.map(({ peak }) => peak));
	return { title, reached: String(most), wanted: `at most ${width}`, isMet: most <= width };
}

function exchanges(outcomes: Outcome[]): Goal {
	const counts = [...new Set(outcomes.map((outcome) => outcome.exchanges))];
	return {
		title: 'token exchanges of each run that finds its token expired',
		reached: counts.join(', '),
		wanted: 'exactly 1',
		isMet: counts.every((count) => count === 1),
	};
}

const MOST_MB = 50;

function memory({ empty, host, ours }: MemoryResults): Goal {
	const middle = (outcomes: Outcome[]) => median(outcomes.map(({ memoryMb }) => memoryMb));
	const over = (outcomes: Outcome[]) => middle(outcomes) - middle(empty.outcomes);
	const reached = over(ours.outcomes);
	return {
		title: `memory that ${ours.items} items take at the peak, over an empty run`,
		reached: `${digits(reached)} MB`,
		wanted: `less than ${MOST_MB} MB`,
		isMet: reached < MOST_MB,
		beside: `${contenders.host.title}: ${digits(over(host.outcomes))} MB`,
	};
}

/** All goals of this benchmark. */
export function goals(results: Results, slow: SlowResults, large: MemoryResults): Goal[] {
	const of = (name: ContenderName) => results.get(name) ?? [];
	const ours = rivals.map((rival) => rival.ours);
	const slowly = (wanted: ContenderName) =>
		slow.flatMap(({ name, outcome }) => (name === wanted ? outcome : []));
	return [
		...shares(results),
		...ours.map((name) => connections(`connections with ${widths[name]}`, widths[name], of(name))),
		...ours.map((name) =>
			connections(
				`connections with ${widths[name]}, on the slow platform`,
				widths[name],
				slowly(name),
			),
		),
		exchanges(ours.flatMap(of)),
		memory(large),
	];
}
