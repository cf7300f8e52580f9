import { median, ratio } from '../../n8n/statistics';
import { digits } from '../table';
import { type ContenderName, contenders, connectionLimits } from './contenders';
import type { Goal } from './goal';
import type { MemoryResults } from './memory';
import type { Outcome } from './outcome';
import type { Results } from './rounds';
import type { SlowResults } from './slowPlatform';

type Measure = 'seconds' | 'cpuMsPerItem';

const rivals = [
	{ ours: 'ours5', ready: 'ready5', baseline: 'baseline5', loop: 'loop5' },
	{ ours: 'ours10', ready: 'ready10', baseline: 'baseline10', loop: 'loop10' },
] as const;

const times = (value: number): string => `${digits(value)} ×`;

function share(
	results: Results,
	what: string,
	measure: Measure,
	max: number,
	[ours, other, comparison]: [ContenderName, ContenderName, ContenderName],
): Goal {
	const values = (name: ContenderName) =>
		(results.get(name) ?? []).map((outcome) => outcome[measure]);
	const reached = ratio(values(ours), values(other));
	return {
		title: what,
		reached: times(reached),
		wanted: `at most ${times(max)}`,
		isMet: reached <= max,
		comparison: `${contenders[comparison].title}: ${times(ratio(values(comparison), values(other)))}`,
	};
}

/** Goals for duration and CPU time, as shares of what another contender takes. */
const shares = (results: Results): Goal[] =>
	rivals.flatMap(({ ready, baseline, loop }) => {
		const at = `with ${connectionLimits[ready]}`;
		const againstBaseline = `wall ${at} and a valid token, compared with the baseline`;
		const againstHttp = `CPU per post ${at}, compared with HTTP Request with its defaults, both with a token`;
		const againstLoop = `wall ${at}, compared with Loop Over Items → HTTP Request, both with a token`;
		return [
			share(results, againstBaseline, 'seconds', 1.07, [ready, baseline, 'host']),
			share(results, againstLoop, 'seconds', 0.75, [ready, loop, baseline]),
			share(results, againstHttp, 'cpuMsPerItem', 0.4, [ready, 'plain', 'host']),
		];
	});

function connections(title: string, width: number, outcomes: Outcome[]): Goal {
	const max = Math.max(...outcomes.map(({ peak }) => peak));
	return { title, reached: String(max), wanted: `at most ${width}`, isMet: max <= width };
}

function exchanges(outcomes: Outcome[]): Goal {
	const counts = [...new Set(outcomes.map((outcome) => outcome.exchanges))];
	return {
		title: 'token exchanges of each run with an expired token',
		reached: counts.join(', '),
		wanted: 'exactly 1',
		isMet: counts.every((count) => count === 1),
	};
}

const MAX_MB = 50;

function memory({ empty, host, ours }: MemoryResults): Goal {
	const middle = (outcomes: Outcome[]) => median(outcomes.map(({ memoryMb }) => memoryMb));
	const over = (outcomes: Outcome[]) => middle(outcomes) - middle(empty.outcomes);
	const reached = over(ours.outcomes);
	return {
		title: `peak memory of ${ours.items} items, minus that of an empty run`,
		reached: `${digits(reached)} MB`,
		wanted: `less than ${MAX_MB} MB`,
		isMet: reached < MAX_MB,
		comparison: `${contenders.host.title}: ${digits(over(host.outcomes))} MB`,
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
		...ours.map((name) =>
			connections(`connections with ${connectionLimits[name]}`, connectionLimits[name], of(name)),
		),
		...ours.map((name) =>
			connections(
				`connections with ${connectionLimits[name]}, on the slow platform`,
				connectionLimits[name],
				slowly(name),
			),
		),
		exchanges(ours.flatMap(of)),
		memory(large),
	];
}
