import { contenders } from './contenders';
import type { Measurement } from './measure';
import type { Outcome } from './outcome';
import type { Results } from './rounds';

/** Reports the runs whose posts are not all on the platform exactly once. */
export function wrongRuns({ results, slow, large, distant }: Measurement): string[] {
	const errors = (where: string, outcomes: Outcome[]) =>
		outcomes.flatMap((outcome, index) =>
			outcome.errors.map((error) => `WRONG: ${where}, run ${index + 1}: ${error}`),
		);
	const all = (of: Results, where = '') =>
		[...of].flatMap(([name, outcomes]) => errors(contenders[name].title + where, outcomes));
	return [
		...all(results),
		...distant.flatMap((at) => all(at.results, `, round trip ${at.roundTripMs} ms`)),
		...slow.flatMap(({ name, outcome }) =>
			errors(`${contenders[name].title}, slow platform`, [outcome]),
		),
		...Object.values(large).flatMap(({ title, outcomes }) => errors(title, outcomes)),
	];
}
