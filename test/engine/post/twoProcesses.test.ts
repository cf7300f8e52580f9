import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';
import { CredentialStore } from '../harness/credentialStore';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { keyed } from '../harness/keySetup';
import { itemsOf, jsonOf, textsOf } from '../harness/manyPosts';
import { OtherProcess } from '../harness/otherProcess';
import { withPlatform, type Platform } from '../harness/platform';
import { until } from '../harness/storage';
import { postsOf } from './postSetup';

const store = new CredentialStore();
let other: OtherProcess;
beforeAll(async () => {
	other = await OtherProcess.start({ store, deduplication: await DeduplicationStore.install() });
});
afterAll(async () => await other.stop());

/** Two processes with one credential and one workflow. */
function processesOf(platform: Platform) {
	const more = { workflowId: randomUUID(), credentialId: platform.credentialId };
	const runs = [
		async (parameters: IDataObject = {}, item: IDataObject = {}) => {
			const result = await platform.run(parameters, { ...more, items: [item] });
			return { error: result.error?.message, json: jsonOf(result) };
		},
		async (parameters: IDataObject = {}, item: IDataObject = {}) =>
			await other.run(parameters, { ...more, items: [item] }),
	] as const;
	return {
		...postsOf(platform),
		runHere: runs[0],
		runThere: runs[1],
		exchanges: () => platform.received('getAccessToken').length,
		/** Runs each item in an execution of its own, alternately in this process and in the other one. */
		runAlternately: async (items: IDataObject[], options: IDataObject = {}) => {
			const parameters = { text: '={{ $json.text }}', options };
			const results = await Promise.all(
				items.map(async (item, index) => await runs[index % 2]!(parameters, item)),
			);
			expect(results.flatMap(({ error }) => error ?? [])).toStrictEqual([]);
			return results.map(({ json }) => json[0]!);
		},
	};
}

type Processes = ReturnType<typeof processesOf>;

/** Returns a test with a platform and a workflow of its own. The tests wait, so they run at the same time. */
const withProcesses = (run: (processes: Processes) => Promise<void>) =>
	withPlatform(async (platform) => await run(processesOf(platform)), store);

describe('Two processes with one credential, where a new token revokes the earlier ones', () => {
	const starts: Record<string, (processes: Processes) => Promise<unknown>> = {
		'no token is stored': async () => {},
		'the stored token has expired': async ({ platform, runThere }) => {
			await runThere();
			platform.emulator.expireTokens();
		},
	};

	test.concurrent.each(Object.keys(starts))(
		'send each of 40 posts once when %s, with few token exchanges',
		async (start) =>
			await withProcesses(async (processes) => {
				const { platform, posts, exchanges, runAlternately } = processes;
				await starts[start]!(processes);
				platform.emulator.adjust({ latencyMs: 30 });
				const before = posts().length;
				await runAlternately(itemsOf(40));
				expect(posts()).toHaveLength(before + 40);
				expect(exchanges()).toBeLessThanOrEqual(6 + before);
			})(),
	);
});

describe('Two processes with the same list of keys', () => {
	const oncePerKey = '={{ $json.key }}';
	const keys = (count: number) => itemsOf(count).map((item) => ({ ...item, key: item.text }));

	test.concurrent(
		'lose none of 20 keys that are used at the same time',
		withProcesses(async ({ posts, runAlternately }) => {
			await runAlternately(keys(20), { oncePerKey });
			const again = await runAlternately(keys(20).reverse(), { oncePerKey });
			expect(again.map(({ skipped }) => skipped)).toStrictEqual(Array(20).fill(true));
			expect(new Set(textsOf(posts())).size).toBe(20);
			expect(posts()).toHaveLength(20);
		}),
	);

	test.concurrent(
		'send one post for a key that is used ten times at the same time',
		withProcesses(async ({ platform, posts, runAlternately }) => {
			platform.emulator.adjust({ latencyMs: 30 });
			await runAlternately(keyed(...Array<string>(10).fill('a')), { oncePerKey });
			expect(posts()).toHaveLength(1);
		}),
	);

	test.concurrent.each([
		['was not used before', []],
		['has an unknown outcome', ['first']],
	])(
		'send one post while a rate limit lasts, with Resend on, if its key %s',
		async (_, before) =>
			await withProcesses(async ({ created, posts, fault, ...processes }) => {
				const { runHere, runThere, runAlternately } = processes;
				const options = { oncePerKey: 'a', resendUnknown: true };
				if (before.length > 0) {
					fault('server-error-after');
					await runHere({ text: 'first', options: { oncePerKey: 'a' } });
				}
				fault('rate-limited-429', { retryAfter: 5, bodyHas: 'ours' });
				const waiting = runAlternately([{ text: 'ours' }], options);
				await until(() => created().length === before.length + 1);
				const { json } = await runThere({ text: 'theirs', options });
				expect(json).toMatchObject([{ status: 'processing' }]);
				expect(await waiting).toMatchObject([{ skipped: true, key: 'a' }]);
				expect(textsOf(posts())).toStrictEqual([...before, 'theirs']);
			})(),
	);

	test.concurrent(
		'send the posts of 20 keys again that one process has posted and the other has cleared',
		withProcesses(async ({ posts, runHere, runThere, runAlternately }) => {
			const post = { text: '={{ $json.text }}', options: { oncePerKey } };
			const socialAccountId = { __rl: true, mode: 'id', value: 'acc_1' };
			const clear = { operation: 'clear', socialAccountId, key: '={{ $json.key }}' };
			// The other process also clears keys that were not posted, so that the two are not in step.
			const before = runThere(clear, { key: 'none' });
			await sleep(200);
			const postAndClear = async (item: IDataObject, index: number) => {
				await sleep(40 * index);
				expect((await runHere(post, item)).error).toBeUndefined();
				expect((await runThere(clear, item)).json).toMatchObject([{ cleared: true }]);
			};
			await Promise.all([before, ...keys(20).map(postAndClear)]);
			const again = await runAlternately(keys(20), { oncePerKey });
			expect(again).not.toContainEqual(expect.objectContaining({ skipped: true }));
			expect(posts()).toHaveLength(40);
		}),
	);

	test.concurrent(
		'send one post, with Resend on, if a token exchange takes longer than the wait without it',
		withProcesses(async ({ platform, posts, exchanges, runThere, runAlternately }) => {
			const options = { oncePerKey: 'a', resendUnknown: true };
			platform.emulator.fault({ kind: 'slow', operation: 'getAccessToken', delayMs: 11_500 });
			const ours = runAlternately([{ text: 'ours' }], options);
			await until(() => exchanges() === 1);
			const { json } = await runThere({ text: 'theirs', options });
			expect(json).toMatchObject([{ skipped: true, key: 'a' }]);
			await ours;
			expect(textsOf(posts())).toStrictEqual(['ours']);
		}),
	);
});
