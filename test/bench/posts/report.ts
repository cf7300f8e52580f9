import { median, ratio } from '../../n8n/statistics';
import { digits, table } from '../table';
import { type ContenderName, contenders } from './contenders';
import { DISTANT_CONTENDERS, DISTANT_WIDTHS, type DistantResults } from './distance';
import type { StoredSize } from './execution';
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

const widths = Object.entries(DISTANT_WIDTHS);

function distantTitle(name: ContenderName): string {
	const width = widths.find(([, wide]) => wide === name)?.[0];
	return width ? `This node, Max Concurrent Requests ${width}` : contenders[name].title;
}

/** The results of all contenders at each distance. */
export function distantTable(distances: DistantResults[]): string {
	const outcomesOf = (name: ContenderName) =>
		distances.map(({ results }) => results.get(name) ?? []);
	const head = [
		`${scale.distance.items} posts over TLS`,
		...distances.map(({ roundTripMs }) => `round trip ${roundTripMs} ms: wall, s`),
		...distances.map(({ roundTripMs }) => `${roundTripMs} ms: CPU per post, ms`),
	];
	const rows = DISTANT_CONTENDERS.map((name) => {
		const all = outcomesOf(name).flat();
		return [
			distantTitle(name),
			...outcomesOf(name).map(seconds),
			...outcomesOf(name).map((outcomes) => middle(outcomes, 'cpuMsPerItem')),
			span(all, 'sockets'),
			span(all, 'peak'),
			wrong(all),
		];
	});
	return table([[...head, 'sockets', 'max connections', 'wrong runs'], ...rows]);
}

/** The rate for which the table recommends a width. */
export const WANTED_PER_SECOND = 30;

/** How wide a run should be, by the distance of the platform. */
export function widthTable(distances: DistantResults[]): string {
	const head = [
		'Round trip to the platform',
		...widths.map(([width]) => `posts per second with ${width}`),
		`for ${WANTED_PER_SECOND} per second`,
	];
	const rows = distances.map(({ roundTripMs, results }) => {
		const rates = widths.map(([width, name]) => {
			const times = (results.get(name) ?? []).map((outcome) => outcome.seconds);
			return { width, rate: scale.distance.items / median(times) };
		});
		const enough = rates.find(({ rate }) => rate >= WANTED_PER_SECOND)?.width ?? 'more than 50';
		return [`${roundTripMs} ms`, ...rates.map(({ rate }) => digits(rate)), enough];
	});
	return table([head, ...rows]);
}

/** How exact the emulated distances are. */
export function accuracy(distances: DistantResults[]): string {
	const ms = distances.map(
		({ roundTripMs, measured: { fresh, kept } }) =>
			`${digits(fresh)} ms and ${digits(kept)} ms (${roundTripMs} ms)`,
	);
	return `To check the emulation, a request that the platform responds to at once was measured on a new connection and on a kept one. By round trip, it takes ${ms.join(', ')}.`;
}

export function storedTable({ items, all, withoutLedger }: StoredSize): string {
	const kb = (bytes: number) => digits(bytes / 1000);
	return table([
		['Stored execution of the large run', 'kB', 'kB without the ledger', 'ledger per post, bytes'],
		[`${items} posts`, kb(all), kb(withoutLedger), digits((all - withoutLedger) / items)],
	]);
}
