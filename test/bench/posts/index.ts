import { install } from '../../n8n/install';
import { pack } from '../../n8n/pack';
import { say, seconds, step } from '../../n8n/progress';
import { document, formatted } from '../document';
import { machine } from '../machine';
import { verdict } from './goal';
import { goals } from './goals';
import { LATENCY_MS, measure } from './measure';
import { memoryTable, roundsTable, slowTable } from './report';
import { isRehearsal, scale } from './scale';
import { SLOW_LATENCY_MS } from './slow-platform';
import { troubles } from './troubles';

/** Many posts in one run: this node, what users do today, and what it takes without n8n. */

const EXPLANATION = `One production execution posts ${scale.items} items to a platform that answers after ${LATENCY_MS} ms
and runs in a process of its own. In each of ${scale.rounds} rounds every contender runs once, at another place;
numbers are the median of the rounds, ratios the median of the ratios within each round. A run has to
leave exactly its own posts on the platform, each once and byte for byte, or it counts as wrong.

_Wall_ is from the start of the execution to its end as n8n records them, _at the platform_ from the
first request's arrival to the last one's answer. _The floor_ fetches one token and keeps as many
connections busy as the contender may have, ten where that sets no bound. _CPU_ is that of n8n's
process until it is at rest again, storing the execution included; the floor's is its own. _Memory_ is
n8n's resident memory at its peak, less what it had before. What starts a workflow with its items is
the same for all, and what n8n takes by itself has a row of its own.

This node finds its access token expired in each run, where nothing else is said, and fetches one, as the
floor does. The HTTP Request node finds a good one: where a post is refused, n8n sends it again for that
node whatever the reason was, and this package's credential does not let it. Its body is made of fields,
as it asks for it at first, with as many expressions as this node has. An interval of 0 ms means to it that there are no batches. With 1000 ms between its
batches it ran in the first round only.

A platform that takes ${SLOW_LATENCY_MS} ms shows how many connections a sender opens that sets no bound; each
contender ran once there. Before each large run, ${scale.memory.rounds} of each kind, n8n collected its garbage.`;

/** Measures, prints and writes it down; true when every run left exactly its own posts. */
export async function benchPosts(): Promise<boolean> {
	const started = Date.now();
	await install();
	const tarball = (process.env.HOST_TARBALL ??= await step(
		'Building and packing the package',
		pack,
	));
	const { results, slow, large, others } = await measure();
	const wrong = troubles(results, slow, large);
	const findings = [...goals(results, slow, large).map(verdict), ...wrong];
	const parts = [
		roundsTable(results),
		slowTable(slow),
		memoryTable(large),
		`### Goals\n\n${findings.map((line) => `- ${line}`).join('\n')}`,
	];
	say(`\n${await formatted(parts.join('\n\n'))}`);
	const share = `Other programs used ${Math.round(others * 100)} % of it meanwhile`;
	say(`${machine()}. ${share}. ${seconds(started)} in all.`);
	const section = ['## Posting many items', EXPLANATION, `Measured on ${machine()}.`, ...parts];
	if (isRehearsal) say('This was a rehearsal: docs/benchmarks.md stays as it is.');
	else await document('posts', section.join('\n\n'), tarball);
	return wrong.length === 0;
}
