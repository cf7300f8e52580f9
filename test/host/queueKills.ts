import {
	byText,
	items,
	numbers,
	outputOf,
	PostFlow,
	PostTexts,
	until,
	type Item,
} from './postFlow';
import type { QueueSetup } from './queueSetup';

/** The posts of an execution: the platform responds to the first, and to none of the others until the kill. */
const [COUNT, ANSWERED, CONCURRENT] = [20, 5, 5];

/** The lock of a killed worker has to expire. Then n8n waits for up to 30 seconds. */
const ENDED_AFTER_MS = 300_000;

const CRASHED = 'Workflow did not finish, possible out-of-memory issue';
const LOST = /^This execution failed to be processed too many times/;

interface Killed {
	flow: PostFlow;
	id: string;
	/** The texts of its items begin with this. */
	input: string;
	/** Its worker starts again. */
	keepsFolder: boolean;
}

const list = (input: string) =>
	items(...numbers(COUNT).map((one, index) => `${input}${index < ANSWERED ? '' : 'held '}${one}`));

/** Kills all processes but main, starts a worker again, and tests what n8n does with their executions, as docs/queue-mode.md describes. */
export async function testKills(queue: QueueSetup): Promise<void> {
	const { setup, workers, webhook, redis } = queue;
	const { rest, emulator, n8n: main } = setup;
	let number = 0;

	const texts = (input = '') =>
		new PostTexts(emulator).posted().filter((text) => text.startsWith(input));

	/** Starts an execution on one of the workers. */
	const begin = async (flow: PostFlow, receiver: { url: string }): Promise<Killed> => {
		const input = `kill ${++number}/`;
		const id = await flow.start(list(input), receiver);
		await until(() => workers.some((worker) => worker.hasStarted(id)), 60_000);
		return { flow, id, input, keepsFolder: workers[0]!.hasStarted(id) };
	};

	/** Waits until executions have a status. A crashed one may still become one with an error. */
	const end = async (all: Killed[], wanted: string) => {
		const areOver = async () => {
			const found = await Promise.all(all.map(async ({ id }) => await rest.execution(id)));
			return found.every(({ status }) => status === wanted);
		};
		await until(areOver, ENDED_AFTER_MS, `${wanted} executions`);
	};

	const stateOf = async ({ id, input }: Killed) => {
		const { status, raw, error } = await rest.execution(id);
		return { status, hasInput: raw.includes(input), message: error?.message };
	};

	const credential = await setup.credential('kills');
	await rest.testCredential(credential);
	const options = { maxConcurrentRequests: CONCURRENT, timeout: 3600 };
	const plain = await PostFlow.active(setup, credential, { options });
	const settings = { onError: 'continueRegularOutput' };
	const withKeys = await PostFlow.active(setup, credential, { ...byText(options), settings });
	const operation = 'createPost';
	emulator.fault({ kind: 'no-answer', operation, bodyHas: 'held ', times: Infinity });
	const byProcessor: Killed[] = [];
	const withFolder = (keeps: boolean) => byProcessor.find((one) => one.keepsFolder === keeps);
	while (!withFolder(true) || !withFolder(false)) byProcessor.push(await begin(plain, webhook));
	const keyed = await begin(withKeys, webhook);
	const byMain = await begin(plain, main);
	await until(() => texts().length === number * (ANSWERED + CONCURRENT), 120_000);

	await Promise.all([...workers, webhook].map(async (one) => await one.kill()));
	emulator.clearFaults();
	await queue.startWorkers('worker 1');

	// With its old folder, a worker finds its crashed executions. Main finds the others when it starts.
	const [old, fresh] = [withFolder(true)!, withFolder(false)!];
	const crashed = { status: 'crashed', hasInput: true };
	await end([old], 'crashed');
	expect(await stateOf(old)).toEqual({ ...crashed, message: CRASHED });
	expect(await stateOf(fresh)).toMatchObject({ status: 'running', hasInput: true });

	// Main keeps running, and ends the execution that it received without its input. A retry does nothing.
	await end([byMain], 'error');
	const { message, ...state } = await stateOf(byMain);
	expect(state).toEqual({ status: 'error', hasInput: false });
	expect(message).toMatch(LOST);
	expect(await rest.retry(byMain.id)).toMatchObject({ status: 'error', runs: {} });
	expect(texts(byMain.input)).toHaveLength(ANSWERED + CONCURRENT);

	await until(() => redis.length('bull:jobs:active') === 0, ENDED_AFTER_MS);
	await main.stop();
	await setup.restart();
	await end([...byProcessor, keyed], 'crashed');
	expect(await stateOf(fresh)).toEqual({ ...crashed, message: undefined });

	await Promise.all([rest.retry(old.id), rest.retry(keyed.id)]);

	// A retry publishes posts without keys again, and loses none.
	expect(new Set(texts(old.input)).size).toBe(COUNT);
	expect(texts(old.input)).toHaveLength(ANSWERED + CONCURRENT + COUNT);

	// No key is lost: neither a retry nor a new execution publishes its post twice.
	const again = outputOf(await keyed.flow.run(list(keyed.input)), 'Post');
	const unknown = again.filter(({ details }) => (details as Item)?.outcome === 'unknown');
	const posts = texts(keyed.input);
	expect(new Set(posts).size).toBe(posts.length);
	expect(posts.length).toBeGreaterThanOrEqual(COUNT - unknown.length);
	expect(unknown.length).toBeLessThanOrEqual(ANSWERED + CONCURRENT);
}
