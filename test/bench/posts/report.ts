import { median, ratio } from '../../n8n/statistics';
import { digits, table } from '../table';
import { type ContenderName, contenders } from './contenders';
import type { MemoryResults } from './memory';
import type { Outcome } from './outcome';
import type { Results } from './rounds';
import { scale } from './scale';
import { SLOW_LATENCY_MS, type SlowResults } from './slowPlatform';

type Measure = 'seconds' | 'secondsAtPlatform' | 'cpuMsPerItem' | 'memoryMb';

const middle = (outcomes: Outcome[], measure: Measure): string =>
	digits(median(outcomes.map((outcome) => outcome[measure])));

/** The range of whole numbers, which are usually equal in all rounds. */
function span(outcomes: Outcome[], measure: 'exchanges' | 'sockets' | 'peak'): string {
	const values = outcomes.map((outcome) => outcome[measure]);
	const [low, high] = [Math.min(...values), Math.max(...values)];
	return low === high ? String(low) : `${low} to ${high}`;
}

function seconds(outcomes: Outcome[]): string {
	const values = outcomes.map((outcome) => outcome.seconds);
	const [low, high] = [Math.min(...values), Math.max(...values)].map(digits);
	return values.length > 1
		? `${digits(median(values))} (${low} to ${high})`
		: digits(median(values));
}

const wrong = (outcomes: Outcome[]): string =>
	String(outcomes.filter(({ errors }) => errors.length > 0).length);

function againstBaseline(results: Results, name: ContenderName): string {
	const { baseline } = contenders[name];
	if (baseline === undefined) return '–';
	const times = (of: ContenderName) => (results.get(of) ?? []).map((outcome) => outcome.seconds);
	return `${digits(ratio(times(name), times(baseline)))} ×`;
}

/** The results of all contenders. */
export function roundsTable(results: Results): string {
	const times = [
		'wall, s (lowest to highest round)',
		'compared with the baseline',
		'at the platform, s',
	];
	const costs = ['CPU per post, ms', 'additional peak memory, MB'];
	const counts = ['token exchanges', 'sockets', 'max connections', 'wrong runs'];
	const rows = [...results].map(([name, outcomes]) => [
		contenders[name].title,
		seconds(outcomes),
		againstBaseline(results, name),
		middle(outcomes, 'secondsAtPlatform'),
		middle(outcomes, 'cpuMsPerItem'),
		middle(outcomes, 'memoryMb'),
		span(outcomes, 'exchanges'),
		span(outcomes, 'sockets'),
		span(outcomes, 'peak'),
		wrong(outcomes),
	]);
	return table([[`${scale.items} posts`, ...times, ...costs, ...counts], ...rows]);
}

export function slowTable(results: SlowResults): string {
	const head = [`A platform that takes ${SLOW_LATENCY_MS} ms`, 'posts', 'wall, s'];
	const rows = results.map(({ name, items, outcome }) => [
		contenders[name].title,
		String(items),
		seconds([outcome]),
		span([outcome], 'sockets'),
		span([outcome], 'peak'),
		wrong([outcome]),
	]);
	return table([[...head, 'sockets', 'max connections', 'wrong runs'], ...rows]);
}

export function memoryTable(results: MemoryResults): string {
	const head = ['One large run', 'items', 'wall, s', 'additional peak memory, MB (each round)'];
	const rows = Object.values(results).map(({ title, items, outcomes }) => [
		title,
		String(items),
		digits(median(outcomes.map((outcome) => outcome.seconds))),
		`${middle(outcomes, 'memoryMb')} (${outcomes.map((one) => digits(one.memoryMb)).join(', ')})`,
		wrong(outcomes),
	]);
	return table([[...head, 'wrong runs'], ...rows]);
}
