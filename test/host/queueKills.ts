import { byId } from './keyedPosts';
import { numbers, pause, until, type Item } from './postFlow';
import { QueueFlow } from './queueFlow';
import type { QueueSetup } from './queueSetup';
import type { Execution } from '../n8n/rest';

/** The posts of an execution: the platform responds to the first, and to none of the others until the kill. */
const [COUNT, ANSWERED, CONCURRENT] = [20, 5, 5];

/** The lock of a killed worker has to expire. Then n8n waits for up to 30 seconds. */
const ENDED_AFTER_MS = 300_000;

type Kind = 'plain' | 'keyed';

/** The process that received the request: main keeps running, the webhook processor is killed. */
type Receiver = 'runs' | 'ended';

/** The user folder with which the worker starts again. */
type Folder = 'old' | 'new';

interface Killed {
	kind: Kind;
	receiver: Receiver;
	folder: Folder;
	id: string;
	/** A text in the execution's input. */
	input: string;
}

interface ExecutionState {
	status: string;
	hasInput: boolean;
	message: string | undefined;
}

/** Kills workers, and records the state of their executions and the results of retries. */
class KilledWorkers {
	readonly killed: Killed[] = [];
	/** After the worker with its old folder has started. */
	readonly early: Record<string, ExecutionState> = {};
	/** After the restart of main, when the executions no longer change. */
	readonly late: Record<string, ExecutionState> = {};
	readonly retries: Record<string, Execution> = {};
	/** Keys whose posts a new execution does not know the outcome of. */
	unknown!: number;

	constructor(private readonly queue: QueueSetup) {}

	all(kind: Kind, receiver: Receiver): Killed[] {
		return this.killed.filter((one) => one.kind === kind && one.receiver === receiver);
	}

	of(kind: Kind, receiver: Receiver, folder?: Folder): Killed {
		const found = this.all(kind, receiver).find((one) => one.folder === (folder ?? one.folder));
		if (!found) throw new Error(`No execution of ${kind}, ${receiver}, ${folder}`);
		return found;
	}

	/** The texts of all posts. */
	private made: string[] = [];

	posts({ input }: Killed): string[] {
		return this.made.filter((text) => text.includes(input));
	}

	private readPosts(): void {
		const { posts } = this.queue.setup.emulator;
		this.made = posts.map(({ request }) => (request as { text: string }).text);
	}

	async run(): Promise<void> {
		const { queue } = this;
		const { setup, workers, webhook } = queue;
		const { rest, emulator, n8n: main } = setup;
		emulator.reset();
		const credential = await setup.credential('kills');
		await rest.testCredential(credential);
		const options = { maxConcurrentRequests: CONCURRENT, timeout: 3600 };
		const plain = await QueueFlow.active(queue, credential, { options });
		const settings = { onError: 'continueRegularOutput' };
		const keyed = await QueueFlow.active(queue, credential, { ...byId(options), settings });
		const held = { operation: 'createPost', bodyHas: 'held ', times: Infinity } as const;
		emulator.fault({ kind: 'no-answer', ...held });

		const list = (input: string) =>
			numbers(COUNT)
				.map((text, index) => `${input}${index < ANSWERED ? '' : 'held '}${text}`)
				.map((text) => ({ id: text, text }));
		const posting = (flow: QueueFlow, { url }: { url: string }) =>
			[flow.id, async (input: string) => await flow.take(list(input), { url })] as const;
		const foldersOf = () => new Set(this.all('plain', 'ended').map(({ folder }) => folder)).size;
		while (foldersOf() < 2) await this.begin('plain', 'ended', ...posting(plain, webhook));
		await this.begin('plain', 'runs', ...posting(plain, main));
		await this.begin('keyed', 'ended', ...posting(keyed, webhook));
		const posts = this.killed.length * (ANSWERED + CONCURRENT);
		await until(() => {
			this.readPosts();
			return this.made.length === posts;
		}, 120_000);

		await Promise.all([...workers, webhook].map(async (one) => await one.kill()));
		emulator.clearFaults();
		await queue.startOthers('worker 1', 'worker 3');
		await this.end(({ receiver, folder }) => receiver === 'ended' && folder === 'old', 'crashed');
		await this.record(this.early);
		await this.end(({ receiver }) => receiver === 'runs', 'error');
		await until(() => queue.redis.length('bull:jobs:active') === 0, ENDED_AFTER_MS);
		await main.stop();
		// Main looks for executions whose process has ended when it starts.
		await setup.restart();
		await this.end(({ receiver }) => receiver === 'ended', 'crashed');
		await this.record(this.late);
		for (const { id } of this.killed) this.retries[id] = await rest.retry(id);
		const known = await rest.executionIds(keyed.id);
		await keyed.take(list(this.of('keyed', 'ended').input));
		const { runs } = await rest.finished(await this.fresh(keyed.id, known));
		const output = runs.Post!.at(-1)!.data!.main[0]!.map(({ json }) => json.details as Item);
		this.unknown = output.filter((details) => details?.outcome === 'unknown').length;
		this.readPosts();
	}

	/** Starts an execution. */
	private async begin(
		kind: Kind,
		receiver: Receiver,
		workflowId: string,
		start: (input: string) => Promise<void>,
	): Promise<void> {
		const { workers, setup } = this.queue;
		const input = `${kind} ${this.killed.length}/`;
		const before = await setup.rest.executionIds(workflowId);
		await start(input);
		const id = await this.fresh(workflowId, before);
		await until(() => workers.some((worker) => worker.hasStarted(id)), 60_000);
		const folder = workers[0]!.hasStarted(id) ? 'old' : 'new';
		this.killed.push({ kind, receiver, folder, id, input });
	}

	/** Waits until executions have a status. */
	private async end(which: (one: Killed) => boolean, wanted: string): Promise<void> {
		const { postgres } = this.queue;
		const ids = this.killed.filter(which).map(({ id }) => id);
		const states = () =>
			postgres.query(`SELECT status FROM execution_entity WHERE id IN (${ids.join()})`);
		const areOver = async () => {
			await pause(250);
			return states().every((status) => status === wanted);
		};
		await until(areOver, ENDED_AFTER_MS).catch((error: Error) => {
			throw new Error(`${error.message}: ${wanted}, ${states().join()}`);
		});
	}

	/** A new execution of a workflow. */
	private async fresh(workflowId: string, before: string[]): Promise<string> {
		let id: string | undefined;
		await until(async () => {
			const ids = await this.queue.setup.rest.executionIds(workflowId);
			id = ids.find((one) => !before.includes(one));
			return id !== undefined;
		}, 60_000);
		return id!;
	}

	private async record(states: Record<string, ExecutionState>): Promise<void> {
		for (const { id, input } of this.killed) {
			const { status, raw, error } = await this.queue.setup.rest.execution(id);
			states[id] = { status, hasInput: raw.includes(input), message: error?.message };
		}
	}
}

const CRASHED = 'Workflow did not finish, possible out-of-memory issue';
const LOST = /^This execution failed to be processed too many times/;

export function killsAreTested(queue: () => QueueSetup): void {
	describe('Killed workers, one with its old user folder and one with a new one', () => {
		let found: KilledWorkers;
		beforeAll(async () => {
			found = new KilledWorkers(queue());
			await found.run();
		}, 900_000);

		it('executions whose receiver has ended crash when the old folder is read, or when main starts', () => {
			const [old, fresh] = [found.of('plain', 'ended', 'old'), found.of('plain', 'ended', 'new')];
			const crashed = { status: 'crashed', hasInput: true };
			expect(found.early[old.id]).toEqual({ ...crashed, message: CRASHED });
			expect(found.early[fresh.id]).toMatchObject({ status: 'running', hasInput: true });
			expect(found.late[old.id]).toMatchObject(crashed);
			expect(found.late[fresh.id]).toEqual({ ...crashed, message: undefined });
		});

		it('a retry of a crashed execution publishes posts again, unless they have keys', () => {
			for (const one of found.all('plain', 'ended')) {
				const posts = found.posts(one);
				expect(new Set(posts).size).toBe(COUNT);
				expect(posts).toHaveLength(ANSWERED + CONCURRENT + COUNT);
			}
		});

		it('neither a retry nor a new execution publishes a post with a key twice', () => {
			const posts = found.posts(found.of('keyed', 'ended'));
			expect(new Set(posts).size).toBe(posts.length);
			expect(posts.length).toBeGreaterThanOrEqual(COUNT - found.unknown);
			expect(found.unknown).toBeLessThanOrEqual(ANSWERED + CONCURRENT);
		});

		it('the process that received an execution ends it without its input, and a retry does nothing', () => {
			const lost = found.killed.filter(({ receiver }) => receiver === 'runs');
			for (const { id } of lost) {
				const { status, hasInput, message } = found.late[id]!;
				expect({ status, hasInput }).toEqual({ status: 'error', hasInput: false });
				expect(message).toMatch(LOST);
				expect(found.retries[id]).toMatchObject({ status: 'error', runs: {} });
			}
			expect(found.posts(found.of('plain', 'runs'))).toHaveLength(ANSWERED + CONCURRENT);
		});
	});
}
