import { contenders } from './contenders';
import type { MemoryResults } from './memory';
import type { Outcome } from './outcome';
import type { Results } from './rounds';
import type { SlowResults } from './slowPlatform';

/** Reports the runs whose posts are not all on the platform exactly once. */
export function wrongRuns(results: Results, slow: SlowResults, large: MemoryResults): string[] {
	const errors = (where: string, outcomes: Outcome[]) =>
		outcomes.flatMap((outcome, index) =>
			outcome.errors.map((error) => `WRONG: ${where}, run ${index + 1}: ${error}`),
		);
	return [
		...[...results].flatMap(([name, outcomes]) => errors(contenders[name].title, outcomes)),
		...slow.flatMap(({ name, outcome }) =>
			errors(`${contenders[name].title}, slow platform`, [outcome]),
		),
		...Object.values(large).flatMap(({ title, outcomes }) => errors(title, outcomes)),
	];
}
