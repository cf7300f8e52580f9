import { step } from '../../n8n/progress';
import { rotated } from '../../n8n/statistics';
import { type ContenderName, contenders, names } from './contenders';
import { makeItems } from './items';
import type { Outcome } from './outcome';
import { scale } from './scale';
import type { BenchSetup } from './benchSetup';

/** The outcomes of each contender's runs, in order of the rounds. */
export type Results = Map<ContenderName, Outcome[]>;

/** Warms n8n's compiler up, because the first runs take 50 % more CPU time. */
export async function warmUp(bench: BenchSetup): Promise<void> {
	for (const name of names) {
		const { normal, slow } = scale.warmUp;
		const items = makeItems(contenders[name].isSlow ? slow : normal);
		const { errors } = await bench.run(name, items);
		if (errors.length > 0) throw new Error(`'${name}' does not post: ${errors.join('; ')}`);
	}
}

/**
 * All contenders post the same number of items in rounds with changing order.
 *
 * @param where the end of the step's title
 */
export async function runRounds(
	bench: BenchSetup,
	all = names,
	{ items, rounds }: { items: number; rounds: number } = scale,
	where = '',
): Promise<Results> {
	const results: Results = new Map(all.map((name) => [name, []]));
	let progress = '';
	const run = async () => {
		for (let round = 0; round < rounds; round++) {
			const running = all.filter((name) => round === 0 || !contenders[name].isSlow);
			for (const name of rotated(running, round)) {
				progress = `round ${round + 1} of ${rounds}, ${name}`;
				results.get(name)?.push(await bench.run(name, makeItems(items)));
			}
		}
	};
	await step(`Posting ${items} items each${where}`, run, () => progress);
	return results;
}
