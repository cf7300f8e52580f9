import { step } from '../../n8n/progress';
import { rotated } from '../../n8n/statistics';
import { type ContenderName, contenders, names } from './contenders';
import { makeItems } from './items';
import type { Outcome } from './outcome';
import { scale } from './scale';
import type { Venue } from './venue';

/** What came of each contender's runs, in the order of the rounds. */
export type Results = Map<ContenderName, Outcome[]>;

/** n8n's compiler has to see every path often: the first runs take half as much CPU time again. */
export async function warmUp(venue: Venue): Promise<void> {
	for (const name of names) {
		const { usual, waiting } = scale.warmUp;
		const items = makeItems(contenders[name].isSlow ? waiting : usual);
		const { complaints } = await venue.run(name, items);
		if (complaints.length > 0) throw new Error(`'${name}' does not post: ${complaints.join('; ')}`);
	}
}

/** All contenders post the same number of items, each in another place of every round. */
export async function playRounds(venue: Venue): Promise<Results> {
	const results: Results = new Map(names.map((name) => [name, []]));
	let doing = '';
	const play = async () => {
		for (let round = 0; round < scale.rounds; round++) {
			const fit = names.filter((name) => round === 0 || !contenders[name].isSlow);
			for (const name of rotated(fit, round)) {
				doing = `round ${round + 1} of ${scale.rounds}, ${name}`;
				results.get(name)?.push(await venue.run(name, makeItems(scale.items)));
			}
		}
	};
	await step(`Posting ${scale.items} items each`, play, () => doing);
	return results;
}
