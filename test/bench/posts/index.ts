import { install } from '../../n8n/install';
import { pack } from '../../n8n/pack';
import { say, seconds, step } from '../../n8n/progress';
import { document, formatted } from '../document';
import { machine } from '../machine';
import { verdict } from './goal';
import { goals } from './goals';
import { LATENCY_MS, measure } from './measure';
import { memoryTable, roundsTable, slowTable } from './report';
import { isTrial, scale } from './scale';
import { SLOW_LATENCY_MS } from './slowPlatform';
import { wrongRuns } from './wrongRuns';

const EXPLANATION = `One production execution posts ${scale.items} items to a platform that responds after ${LATENCY_MS} ms
and runs in a separate process. Each contender runs once in each of ${scale.rounds} rounds, in changing order.
Numbers are the median of the rounds, and ratios are the median of the ratios within each round. A run is
wrong unless the platform has each of its posts exactly once, byte for byte.

- _Wall_ is the time from the start to the end of the execution according to n8n.
- _At the platform_ is the time from the arrival of the first request to the last response.
- _The baseline_ has no n8n. It fetches one token, and keeps as many connections busy as the contender may
  open, or ten if that has no limit.
- _CPU_ is the CPU time of n8n's process until it is idle again, including storing the execution. For the
  baseline, it is the CPU time of the sender.
- _Memory_ is the peak of n8n's resident memory, minus its memory before the run.

All workflows start with the same trigger, and one row shows n8n without a sending node.

Unless stated otherwise, the access token of this node has expired before each run, so it fetches a new
one, as the baseline does. The HTTP Request node has a valid token, because it cannot send a refused post
again with this package's credential. Its body consists of fields, which is its default, with as many
expressions as this node has. An interval of 0 ms turns its batches off. With 1000 ms between batches, it
runs in the first round only.

A platform that takes ${SLOW_LATENCY_MS} ms shows how many connections a sender without a limit opens. Each contender runs
once with it. n8n collects garbage before each of the ${scale.memory.rounds} large runs of each kind.`;

/** Measures runs with many posts, and writes the results. @returns whether all posts were correct */
export async function benchPosts(): Promise<boolean> {
	const started = Date.now();
	await install();
	const tarball = (process.env.HOST_TARBALL ??= await step(
		'Building and packing the package',
		pack,
	));
	const { results, slow, large, others } = await measure();
	const wrong = wrongRuns(results, slow, large);
	const findings = [...goals(results, slow, large).map(verdict), ...wrong];
	const parts = [
		roundsTable(results),
		slowTable(slow),
		memoryTable(large),
		`### Goals\n\n${findings.map((line) => `- ${line}`).join('\n')}`,
	];
	say(`\n${await formatted(parts.join('\n\n'))}`);
	const share = `Other programs used ${Math.round(others * 100)} % of the CPU time`;
	say(`${machine()}. ${share}. Duration: ${seconds(started)}.`);
	const section = ['## Posting many items', EXPLANATION, `Measured on ${machine()}.`, ...parts];
	if (isTrial) say('This was a trial. docs/benchmarks.md is not changed.');
	else await document('posts', section.join('\n\n'), tarball);
	return wrong.length === 0;
}
