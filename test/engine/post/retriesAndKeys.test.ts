import { setTimeout as sleep } from 'node:timers/promises';
import { retryOf, statesOf } from '../harness/ledgerOf';
import { eachText, itemsOf, textOf, textsOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { soon, until } from '../harness/storage';

let deduplication: DeduplicationStore;
const platform = usePlatform();
let workflows = 0;
let workflowId: string;
beforeAll(async () => {
	deduplication = await DeduplicationStore.install();
});
beforeEach(async () => {
	deduplication.reset();
	workflowId = `further-tries-${workflows++}`;
});

const created = () => platform.received('createPost');
const keyed = { oncePerKey: '={{ $json.text }}' };

test('Create keeps accepted posts when it is retried with another timeout and a varying time', async () => {
	const later = (timeout: number) => ({
		...eachText({ timeout, maxConcurrentRequests: 1 }),
		publishTime: 'at',
		publishAt: '={{ $now.plus({ hours: 1 }).toISO() }}',
	});
	platform.emulator.fault({ kind: 'refused', operation: 'createPost', bodyHas: textOf(1) });
	const first = await platform.run(later(5), { items: itemsOf(2) });
	const second = await platform.run(later(9), { items: itemsOf(2), ...retryOf(first) });
	expect(second.error).toBeUndefined();
	expect(textsOf(created())).toStrictEqual([0, 1, 1].map(textOf));
});

test('Create frees the key of a post that is canceled during the token request', async () => {
	platform.emulator.fault({ kind: 'slow', operation: 'getAccessToken', delayMs: 800 });
	const running = platform.start(eachText(keyed), { items: itemsOf(1), workflowId });
	await until(() => platform.received('getAccessToken').length === 1);
	await soon();
	running.cancel();
	await running.done;
	await until(() => platform.emulator.tokens.length === 1);
	await sleep(300);
	expect(created()).toHaveLength(0);
	const again = await platform.run(eachText(keyed), { items: itemsOf(1), workflowId });
	expect(again.error).toBeUndefined();
	expect(platform.emulator.posts).toHaveLength(1);
});

test('Create counts accepted posts as accepted even if a retry stops before them', async () => {
	const parameters = eachText({ maxConcurrentRequests: 1 });
	const refuse = (item: number) =>
		platform.emulator.fault({ kind: 'refused', operation: 'createPost', bodyHas: textOf(item) });
	refuse(2);
	const more = { items: itemsOf(6), onError: 'continueRegularOutput' as const };
	const first = await platform.run(parameters, more);
	expect(Object.values(statesOf(first)).filter((state) => state === 'accepted')).toHaveLength(5);
	refuse(2);
	const second = await platform.run(parameters, { items: itemsOf(6), ...retryOf(first) });
	expect(second.error!.description).toMatch(
		/Posts: 5 accepted earlier and not sent again, 1 not accepted\./,
	);
});

test('Create reports the error that ended the run, not a post that waits for a rate limit', async () => {
	platform.emulator.fault({
		kind: 'rate-limited-429',
		operation: 'createPost',
		bodyHas: textOf(0),
		retryAfter: 100,
	});
	platform.emulator.fault({
		kind: 'slow',
		operation: 'createPost',
		bodyHas: textOf(2),
		delayMs: 9,
	});
	platform.emulator.fault({ kind: 'refused', operation: 'createPost', bodyHas: textOf(1) });
	const { error } = await platform.run(eachText({ maxConcurrentRequests: 2 }), {
		items: itemsOf(3),
	});
	expect(error!.message).toContain('请求被拒绝');
	expect(error!.description).toMatch(/Posts: 1 not accepted, 2 not sent yet\.\nWaited [01][.\d]* /);
});
