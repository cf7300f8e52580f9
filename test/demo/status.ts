import type { Delivery, EmulatedPost } from '../emulator';
import type { Announced } from './article';
import type { House } from './house';
import { until } from './wait';
import { say } from '../n8n/progress';
import type { Execution } from '../n8n/rest';

/** The second half of each story: the platform reports how it went on, n8n passes it on. */

/** What all nodes of an execution put out, in the order in which they ran. */
const outputs = ({ runs }: Execution): Array<Record<string, unknown>> =>
	Object.values(runs)
		.flat()
		.flatMap(({ data }) => (data?.main ?? []).flatMap((items) => items ?? []))
		.map(({ json }) => json);

/** The executions that a report about this post has started; they came after it was posted. */
export async function reactions(
	{ post, executionId }: Announced,
	{ rest, statuses }: House,
): Promise<Execution[]> {
	const ids = await rest.executionIds(statuses.id);
	const later = ids.filter((id) => Number(id) > Number(executionId));
	const executions = await Promise.all(later.map(async (id) => await rest.finished(id)));
	return executions.filter((execution) => outputs(execution)[0]?.action_sn === post.action_sn);
}

const replies = ({ attempts }: Delivery): string =>
	attempts.map(({ status, error }) => status ?? error).join(', then ');

/** The report about a post, once n8n has taken it. */
async function reported(post: EmulatedPost, { emulator }: House): Promise<Delivery> {
	const find = () => emulator.deliveries.find(({ body }) => body.includes(post.action_sn));
	const taken = (delivery = find()) =>
		delivery?.attempts.at(-1)?.status === 200 ? delivery : undefined;
	return await until(taken, () => {
		const delivery = find();
		if (!delivery) return `The platform has not reported about post ${post.social_post_id}`;
		return `n8n has not taken ${delivery.event}, it answered: ${replies(delivery) || 'nothing'}`;
	});
}

/**
 * Follows a post until n8n has passed on how it went.
 *
 * @param outcome what is to become of the post
 * @throws Error that says what is missing
 */
export async function follow(
	announced: Announced,
	outcome: EmulatedPost['status'],
	house: House,
): Promise<void> {
	const { post } = announced;
	const delivery = await reported(post, house);
	const way = post.history.map(({ status }) => status).join(' → ');
	say(`  3. On the platform: ${way}. It reports that in a signed webhook, ${delivery.event}:`);
	say(`     POST ${delivery.url}, answered ${replies(delivery)}`);

	const execution = await until(
		async () => (await reactions(announced, house))[0],
		() => `No execution of “${house.statuses.name}” is about ${post.action_sn}`,
	);
	const [read, ...made] = outputs(execution);
	const messages = made.map(({ message }) => message);
	const written = messages.find((text) => text !== undefined && text !== read?.message);
	say(`  4. n8n runs “${house.statuses.name}”: execution ${execution.id}, ${execution.status},`);
	say(`     outcome ${String(read?.outcome)}. It has written this message:`);
	say(String(written).replace(/^/gm, '       │ '));

	if (execution.status !== 'success' || read?.outcome !== outcome) {
		throw new Error(`A success with the outcome ${outcome} was expected`);
	}
	if (!String(written).includes(post.message ?? post.action_sn)) {
		throw new Error(`The message does not name “${post.message ?? post.action_sn}”`);
	}
}
