import { install } from '../../n8n/install';
import { pack } from '../../n8n/pack';
import { say, seconds, step } from '../../n8n/progress';
import { document, formatted } from '../document';
import { machine } from '../machine';
import { goals, verdict } from './goals';
import { measure } from './measure';
import { tables, troubles } from './report';

/** Webhook deliveries: this package's trigger, what the host itself costs, and what users build. */

const EXPLANATION = `Deliveries to a workflow of a trigger and one node after it, answered as soon as
the execution has been recorded. _Per second_ is what eight connections get through without a pause,
the median of the rounds; ratios are the median of the ratios within each round. _p50_ and _p95_ are
answering times of single deliveries, five a second over all contenders. Between measurements n8n
comes to rest. _Executed_ counts the successful executions that n8n has in the end, of the deliveries
that should have started one.

A credential that is selected costs a look into the database before each execution, whether the trigger
reads it or not. A wrong signature is refused with 401 by this package's trigger; the workflow built by
hand has already answered 200 and started an execution when it finds out. Beside each goal stands what
a trigger reaches that does nothing, or refuses everything: more than that no trigger can.`;

/** Measures, prints and writes it down; true when no answer was wrong and no execution is missing. */
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
	const wrong = [standard, lazy].flatMap(troubles);
	const findings = [...goals(standard, lazy).map(verdict), ...wrong]
		.map((line) => `- ${line}`)
		.join('\n');
	const results = [tables(standard), tables(lazy), `### Goals\n\n${findings}`].join('\n\n');
	say(`\n${await formatted(results)}`);
	const others = [standard, lazy].map((one) => `${Math.round(one.others * 100)} %`).join(' and ');
	say(`${machine()}. Other programs used ${others} of it meanwhile. ${seconds(started)} in all.`);
	const section = ['## Receiving webhooks', EXPLANATION, `Measured on ${machine()}.`, results];
	await document('trigger', section.join('\n\n'), tarball);
	return wrong.length === 0;
}
