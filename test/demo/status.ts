import type { Delivery, EmulatedPost } from '../emulator';
import type { CreatedPost } from './article';
import type { DemoSetup } from './demoSetup';
import { until } from './wait';
import { say } from '../n8n/progress';
import type { Execution } from '../n8n/rest';

/** The output items of all nodes of an execution, in the order of the nodes' runs. */
const outputs = ({ runs }: Execution): Array<Record<string, unknown>> =>
	Object.values(runs)
		.flat()
		.flatMap(({ data }) => (data?.main ?? []).flatMap((items) => items ?? []))
		.map(({ json }) => json);

/** The executions that reports about this post have started. */
export async function reportExecutions(
	{ post, executionId }: CreatedPost,
	{ rest, statuses }: DemoSetup,
): Promise<Execution[]> {
	const ids = await rest.executionIds(statuses.id);
	const later = ids.filter((id) => Number(id) > Number(executionId));
	const executions = await Promise.all(later.map(async (id) => await rest.finished(id)));
	return executions.filter((execution) => outputs(execution)[0]?.action_sn === post.action_sn);
}

const replies = ({ attempts }: Delivery): string =>
	attempts.map(({ status, error }) => status ?? error).join(', then ');

/** Waits until n8n has accepted the report about a post. */
async function reportOf(post: EmulatedPost, { emulator }: DemoSetup): Promise<Delivery> {
	const find = () => emulator.deliveries.find(({ body }) => body.includes(post.action_sn));
	const accepted = (delivery = find()) =>
		delivery?.attempts.at(-1)?.status === 200 ? delivery : undefined;
	return await until(accepted, () => {
		const delivery = find();
		if (!delivery) return `The platform has not sent a report about post ${post.social_post_id}`;
		return `n8n has not accepted ${delivery.event}. Its responses: ${replies(delivery) || 'none'}`;
	});
}

/**
 * Reports what the platform has downloaded for a post.
 *
 * @throws Error if its page shows another picture than the one that was uploaded
 */
async function reportPicture(
	{ post, picture }: CreatedPost,
	{ emulator }: DemoSetup,
): Promise<string> {
	const [{ problem, type, bytes, file } = { problem: 'it has not tried' }] = post.media ?? [];
	if (problem) return `The platform cannot download the picture: ${problem}`;
	const shown = await fetch(`${emulator.url}/fetched/${file}`);
	if (picture?.equals(Buffer.from(await shown.arrayBuffer())) === false) {
		throw new Error('The platform does not show the uploaded picture');
	}
	return `The platform downloads the picture: ${type}, ${bytes} bytes`;
}

/**
 * Waits until the platform has reported the final status of a post and n8n has processed the report.
 *
 * @param outcome the expected status
 * @throws Error if something is missing or different
 */
export async function follow(
	created: CreatedPost,
	outcome: EmulatedPost['status'],
	setup: DemoSetup,
): Promise<void> {
	const { post } = created;
	const delivery = await reportOf(post, setup);
	const statuses = post.history.map(({ status }) => status).join(' → ');
	say(`  3. ${await reportPicture(created, setup)}`);
	say(`     Status: ${statuses}. The platform sends a signed webhook, ${delivery.event}:`);
	say(`     POST ${delivery.url}, response ${replies(delivery)}`);

	const execution = await until(
		async () => (await reportExecutions(created, setup))[0],
		() => `No execution of “${setup.statuses.name}” has processed ${post.action_sn}`,
	);
	const [read, ...made] = outputs(execution);
	const messages = made.map(({ message }) => message);
	const written = messages.find((text) => text !== undefined && text !== read?.message);
	say(`  4. n8n runs “${setup.statuses.name}”: execution ${execution.id}, ${execution.status},`);
	say(`     outcome ${String(read?.outcome)}. The workflow has written this message:`);
	say(String(written).replace(/^/gm, '       │ '));

	if (execution.status !== 'success' || read?.outcome !== outcome) {
		throw new Error(`Expected success with the outcome ${outcome}`);
	}
	if (!String(written).includes(post.message ?? post.action_sn)) {
		throw new Error(`The message does not contain “${post.message ?? post.action_sn}”`);
	}
}
