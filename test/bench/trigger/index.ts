import { install } from '../../n8n/install';
import { pack } from '../../n8n/pack';
import { say, seconds, step } from '../../n8n/progress';
import { document, formatted } from '../document';
import { machine } from '../machine';
import { goals, verdict } from './goals';
import { measure } from './measure';
import { tables, wrongResults } from './report';

const EXPLANATION = `Each workflow has a trigger and one more node, and responds when its execution is stored. _Per second_
is the throughput of eight connections, as the median of the rounds. Ratios are the median of the
ratios within each round. _p50_ and _p95_ are the response times of single deliveries, five per second for
all contenders together. n8n is idle before each measurement. _Executed_ compares the successful
executions with the deliveries that should have started one.

n8n reads a credential from the database before each execution, even if the trigger does not use it.
This package's trigger refuses a wrong signature with 401. Webhook → Crypto → If has already responded
with 200 and started an execution when it checks the signature. The limit in each goal is the result of a
trigger that does nothing or refuses everything, because no trigger can be faster.`;

/** Measures webhook deliveries, and writes the results. @returns whether all responses and executions were correct */
export async function benchTrigger(): Promise<boolean> {
	const started = Date.now();
	await install();
	const tarball = (process.env.HOST_TARBALL ??= await step(
		'Building and packing the package',
		pack,
	));
	const standard = await measure({ title: 'the default expression engine', env: {} });
	const lazy = await measure({
		title: '`N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true`',
		env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
	});
	const wrong = [standard, lazy].flatMap(wrongResults);
	const findings = [...goals(standard, lazy).map(verdict), ...wrong]
		.map((line) => `- ${line}`)
		.join('\n');
	const results = [tables(standard), tables(lazy), `### Goals\n\n${findings}`].join('\n\n');
	say(`\n${await formatted(results)}`);
	const others = [standard, lazy].map((one) => `${Math.round(one.others * 100)} %`).join(' and ');
	say(
		`${machine()}. Other programs used ${others} of the CPU time. Duration: ${seconds(started)}.`,
	);
	const section = ['## Receiving webhooks', EXPLANATION, `Measured on ${machine()}.`, results];
	await document('trigger', section.join('\n\n'), tarball);
	return wrong.length === 0;
}
