import { install } from '../../n8n/install';
import { pack } from '../../n8n/pack';
import { say, seconds, step } from '../../n8n/progress';
import { document, formatted } from '../document';
import { machine } from '../machine';
import { verdict } from './goal';
import { goals } from './goals';
import { LATENCY_MS, measure } from './measure';
import {
	accuracy,
	distantTable,
	memoryTable,
	roundsTable,
	slowTable,
	storedTable,
	WANTED_PER_SECOND,
	widthTable,
} from './report';
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

const DISTANCE = `### Over TLS, at a distance

n8n opens a [new connection](#connections-in-n8n) for each request. Over TLS, a post then takes three round trips to the
platform instead of one. Choose a higher **Max Concurrent Requests** for a platform that is further away, and stay within its
rate limit. The first table shows how many posts per second this node sends to a platform that responds after ${LATENCY_MS} ms, and
the smallest of these settings for ${WANTED_PER_SECOND} posts per second.`;

const EMULATION = `The access token is valid, and the certificate was made for the run. The platform is behind a proxy in a separate
process, which delays all data by half of the round trip. It delays the first data of a connection by another round trip,
which setting up the connection would take. Bandwidth and packet loss are not emulated. Numbers are the median of
${scale.distance.rounds} rounds.`;

/** Measures runs with many posts, and writes the results. @returns whether all posts were correct */
export async function benchPosts(): Promise<boolean> {
	const started = Date.now();
	await install();
	const tarball = (process.env.HOST_TARBALL ??= await step(
		'Building and packing the package',
		pack,
	));
	const measurement = await measure();
	const { results, slow, large, stored, distant, others } = measurement;
	const wrong = wrongRuns(measurement);
	const findings = [...goals(results, slow, large).map(verdict), ...wrong];
	const parts = [
		roundsTable(results),
		slowTable(slow),
		memoryTable(large),
		storedTable(stored),
		DISTANCE,
		widthTable(distant),
		`${EMULATION} ${accuracy(distant)}`,
		distantTable(distant),
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
