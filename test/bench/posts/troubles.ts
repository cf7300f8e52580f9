import { contenders } from './contenders';
import type { MemoryResults } from './memory';
import type { Outcome } from './outcome';
import type { Results } from './rounds';
import type { SlowResults } from './slow-platform';

/** What did not go as it should, in sentences; empty where every post is on the platform, once. */
export function troubles(results: Results, slow: SlowResults, large: MemoryResults): string[] {
	const complaints = (where: string, outcomes: Outcome[]) =>
		outcomes.flatMap((outcome, index) =>
			outcome.complaints.map((complaint) => `WRONG: ${where}, run ${index + 1}: ${complaint}`),
		);
	return [
		...[...results].flatMap(([name, outcomes]) => complaints(contenders[name].title, outcomes)),
		...slow.flatMap(({ name, outcome }) =>
			complaints(`${contenders[name].title}, slow platform`, [outcome]),
		),
		...Object.values(large).flatMap(({ title, outcomes }) => complaints(title, outcomes)),
	];
}
