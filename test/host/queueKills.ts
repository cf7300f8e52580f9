import { randomUUID } from 'node:crypto';
import { byId } from './keyedPosts';
import { numbers, pause, postOfText, until, type Item } from './postFlow';
import type { QueueExample } from './queueExample';
import { QueueFlow } from './queueFlow';
import { measured } from './queueNumbers';
import type { QueueSetup } from './queueSetup';
import type { Execution } from '../n8n/rest';
import { send, TriggerFlow, type Reply } from './triggerFlow';
import { row } from '../n8n/workflows';

const COUNT = 60;
/** The lock of a killed worker has to expire. Then n8n waits for up to 30 seconds. */
const ENDED_AFTER_MS = 300_000;

interface Killed {
	kind: 'plain' | 'keyed' | 'delivery' | 'article';
	/** The user folder with which the worker starts again. */
	folder: 'old' | 'new';
	/** The process that received the request: main keeps running, the webhook processor is killed. */
	receiver: 'runs' | 'ended';
	id: string;
	/** A text in the execution's input. */
	input: string;
}

type Which = Pick<Killed, 'kind' | 'folder' | 'receiver'>;

interface ExecutionState {
	status: string;
	hasInput: boolean;
	message: string | undefined;
}

/** Kills workers, and records the state of their executions and the results of retries. */
class KilledWorkers {
	readonly killed: Killed[] = [];
	/** The posts of each execution when the workers were killed. */
	readonly postsAtKill: Record<string, number> = {};
	/** After the worker with its old folder is ready, before any retry. */
	readonly early: Record<string, ExecutionState> = {};
	/** After the executions that main received have ended, before main is restarted. */
	readonly unmarked: Record<string, ExecutionState> = {};
	/** After the restart of main, when the executions no longer change. */
	readonly late: Record<string, ExecutionState> = {};
	/** The number of posts of an execution and of their texts, before and after a retry. */
	readonly retried: Record<string, { before: number; after: number; texts: number }> = {};
	readonly retries: Record<string, Execution> = {};
	readonly ms: Record<string, number> = {};
	/** Executions that n8n reported to the error workflow. */
	reported: string[] = [];
	/** Executions with a successful retry, which n8n does not offer to retry again. */
	countedAsRetried: string[] = [];
	again!: { texts: number; posts: number; unknown: number };
	deliveries!: { toMain: Reply; toTheProcessor: Reply };
	/** The result of the example's query, before and after the retries. */
	toCheck: { before: string[]; after: string[] } = { before: [], after: [] };

	constructor(
		private readonly queue: QueueSetup,
		private readonly example: QueueExample,
	) {}

	of(kind: Killed['kind'], folder: Killed['folder'], receiver: Killed['receiver']): Killed {
		const is = (one: Which) =>
			one.kind === kind && one.folder === folder && one.receiver === receiver;
		return this.killed.find(is)!;
	}

	posts = ({ input }: Killed): string[] =>
		this.queue.setup.emulator.posts
			.map(({ request }) => (request as { text: string }).text)
			.filter((text) => text.includes(input));

	async run(): Promise<void> {
		const { queue, example } = this;
		const { setup, workers } = queue;
		const { rest, emulator } = setup;
		const name = `kills ${randomUUID()}`;
		// All executions run at the same time, even if one worker takes most of them.
		const atOnce = { N8N_CONCURRENCY_PRODUCTION_LIMIT: '50' };
		await Promise.all(workers.map(async (one) => await one.stop()));
		const started = ['worker 1', 'worker 2'].map(
			async (folder) => await queue.start('worker', folder, atOnce),
		);
		workers.splice(0, workers.length, ...(await Promise.all(started)));
		const credential = await setup.credential(name, { signatureRecipe: 'timestampBody' });
		await example.freshToken();
		// The platform accepts only the newest token.
		await rest.testCredential(credential);
		const onError = row(
			'errors',
			{ name: 'Error', type: 'n8n-nodes-base.errorTrigger', typeVersion: 1, parameters: {} },
			{ name: 'Next', type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} },
		);
		const errors = await rest.createWorkflow(onError);
		await rest.activate(errors);
		const settings = { errorWorkflow: errors.id };
		const plain = await QueueFlow.active(queue, credential, {}, settings);
		const limited = byId({ maxConcurrentRequests: 5 });
		const keyed = await QueueFlow.active(queue, credential, limited, settings);
		const report = { text: '={{ "report " + $json.event_id }}' };
		// On a busy machine, all executions have started after more than a minute, the default timeout.
		const next = postOfText(credential, { parameters: report, options: { timeout: 3600 } });
		const anyAge = { options: { timeWindow: 86_400 } };
		const reports = await TriggerFlow.active(setup, credential, anyAge, next);

		emulator.adjust({ latencyMs: 20_000 });
		emulator.fault({
			...{ operation: 'createPost', bodyHas: '"text":"report ' },
			...{ kind: 'no-answer', times: Infinity },
		});
		example.hold('lost ');
		const receivers = [
			['runs', setup.n8n],
			['ended', queue.webhook],
		] as const;
		const list = (input: string) =>
			numbers(COUNT).map((text) => ({ id: `${input}${text}`, text: `${input}${text}` }));
		const requests: Record<string, { headers: Record<string, string>; body: string }> = {};
		const deliver = async (input: string, url: string) => {
			const to = { url: `${emulator.url}/nowhere`, recipe: 'timestampBody' as const };
			const event = { id: input, data: { action_sn: 'SA1', status: 'failed' } };
			requests[input] = await emulator.deliver(event, to);
			const { headers, body } = requests[input];
			expect(await send(url, headers, body)).toMatchObject({ status: 200 });
		};
		const at = (url: string) => reports.url.replace(setup.n8n.url, url);
		for (const [receiver, process] of receivers) {
			await this.onEach({ kind: 'plain', receiver }, plain.id, async (input) => {
				await plain.take(list(input), process);
			});
			await this.onEach({ kind: 'delivery', receiver }, reports.id, async (input) => {
				await deliver(input, at(process.url));
			});
			await this.onEach({ kind: 'article', receiver }, example.id, async (input) => {
				await example.start(input, process);
			});
		}
		await this.onEach({ kind: 'keyed', receiver: 'runs' }, keyed.id, async (input) => {
			await keyed.take(list(input), setup.n8n);
		});
		const posting = this.killed.filter(({ kind }) => kind === 'plain' || kind === 'keyed');
		const articles = this.killed.filter(({ kind }) => kind === 'article');
		const enough = { plain: 10, keyed: 5 } as Record<Killed['kind'], number>;
		await until(() => posting.every((one) => this.posts(one).length >= enough[one.kind]), 120_000);
		await until(() => example.held() === articles.length, 60_000);
		for (const { id } of this.killed) {
			expect([id, (await rest.execution(id)).status]).toEqual([id, 'running']);
		}

		const killedAt = Date.now();
		const since = () => Date.now() - killedAt;
		await Promise.all([...workers, queue.webhook].map(async (one) => await one.kill()));
		example.release();
		// Waits until all requests that were sent before have arrived.
		await pause(3_000);
		for (const one of posting) this.postsAtKill[one.id] = this.posts(one).length;
		emulator.clearFaults();
		emulator.adjust({ latencyMs: 0 });
		const old = await queue.start('worker', 'worker 1');
		this.ms['the old folder is read'] = since();
		await this.record(this.early);
		const [fresh, processor] = await Promise.all([
			queue.start('worker', 'worker 3'),
			queue.start('webhook', 'webhook processor'),
			this.retry(this.of('plain', 'old', 'runs')),
			this.retry(this.of('keyed', 'old', 'runs')),
		]);
		workers.splice(0, workers.length, old, fresh);
		queue.webhook = processor;

		const all = async (receiver: Killed['receiver'], wanted: string) => {
			const list = this.killed.filter((one) => one.receiver === receiver);
			const statuses: Record<string, string> = {};
			const areOver = async () => {
				await pause(500);
				for (const { id, kind, folder } of list) {
					const { status } = await rest.execution(id);
					if (status === wanted) this.ms[id] ??= since();
					statuses[`${id} ${kind} ${folder}`] = status;
				}
				return Object.values(statuses).every((status) => status === wanted);
			};
			await until(areOver, ENDED_AFTER_MS).catch((error: Error) => {
				throw new Error(`${error.message}: ${wanted}, ${JSON.stringify(statuses)}`);
			});
		};
		await all('runs', 'error');
		const repeat = async (one: Killed, url: string) => {
			const { headers, body } = requests[one.input]!;
			return await send(at(url), headers, body);
		};
		const toMain = await repeat(this.of('delivery', 'new', 'runs'), setup.n8n.url);
		await this.record(this.unmarked);
		const ofMain = posting.filter(({ receiver }) => receiver === 'runs');
		await until(async () => {
			const reported = await this.reportedErrors(errors.id);
			return ofMain.every(({ id }) => reported.includes(id));
		}, 60_000);
		await setup.n8n.stop();
		// Main looks for executions whose process has ended when it starts, and every three hours by
		// default. With 4 minutes, a second check comes before ENDED_AFTER_MS, but not during retries.
		await setup.restart({ N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '4' });
		await all('ended', 'crashed');
		await this.record(this.late);
		this.reported = await this.reportedErrors(errors.id);
		this.toCheck.before = example.toCheck();
		for (const one of this.killed) await this.retry(one);
		this.countedAsRetried = queue.postgres.query(
			`SELECT id FROM execution_entity WHERE "retrySuccessId" IS NOT NULL`,
		);
		this.toCheck.after = example.toCheck();
		const { input } = this.of('keyed', 'new', 'runs');
		const before = await rest.executionIds(keyed.id);
		await keyed.take(list(input));
		const { runs } = await rest.finished(await this.fresh(keyed.id, before));
		const output = runs.Post!.at(-1)!.data!.main[0]!.map(({ json }) => json);
		const posts = this.posts(this.of('keyed', 'new', 'runs'));
		const unknown = output.filter(
			({ first }) => (first as Item | undefined)?.outcome === 'unknown',
		);
		this.again = {
			posts: posts.length,
			texts: new Set(posts).size,
			unknown: unknown.length,
		};
		const reported = await rest.executionIds(reports.id);
		this.deliveries = {
			toMain,
			toTheProcessor: await repeat(this.of('delivery', 'new', 'ended'), processor.url),
		};
		const { status } = await rest.finished(await this.fresh(reports.id, reported));
		expect(status).toBe('success');
	}

	/** Starts executions until each worker has started one. */
	private async onEach(
		which: Pick<Killed, 'kind' | 'receiver'>,
		workflowId: string,
		start: (input: string) => Promise<void>,
	): Promise<void> {
		const { workers, setup } = this.queue;
		const waiting = new Set<Killed['folder']>(['old', 'new']);
		while (waiting.size > 0) {
			const input = `${which.kind === 'article' ? 'lost' : which.kind} ${this.killed.length}/`;
			const before = await setup.rest.executionIds(workflowId);
			await start(input);
			const id = await this.fresh(workflowId, before);
			await until(() => workers.some((worker) => worker.hasStarted(id)), 60_000);
			const folder = workers[0]!.hasStarted(id) ? 'old' : 'new';
			this.killed.push({ ...which, folder, id, input });
			waiting.delete(folder);
		}
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

	/** Retries the execution, and keeps the result apart from that of an earlier retry. */
	private async retry(one: Killed): Promise<void> {
		const before = this.posts(one).length;
		const { setup, postgres } = this.queue;
		const execution = await setup.rest.retry(one.id).catch((error: Error) => {
			const newest = 'SELECT id, status FROM execution_entity ORDER BY id DESC LIMIT 3';
			const which = `${one.id} (${one.kind}, ${one.folder} folder, received by: ${one.receiver})`;
			const states = postgres.query(newest).join(', ');
			throw new Error(`Cannot retry ${which}; newest executions: ${states}`, { cause: error });
		});
		const posts = this.posts(one);
		const found = { before, after: posts.length, texts: new Set(posts).size };
		const when = one.id in this.late ? 'late' : 'early';
		this.retried[`${one.id} ${when}`] = found;
		this.retries[`${one.id} ${when}`] = execution;
	}

	private async reportedErrors(errorWorkflowId: string): Promise<string[]> {
		const { rest } = this.queue.setup;
		const ids = await rest.executionIds(errorWorkflowId);
		const executions = await Promise.all(ids.map(async (id) => await rest.finished(id)));
		const items = executions.map(({ runs }) => runs.Error?.[0]?.data?.main[0]?.[0]?.json);
		return items.map((json) => String((json?.execution as Item | undefined)?.id));
	}
}

const LOST = /^This execution failed to be processed too many times/;
const KINDS = ['plain', 'delivery', 'article'] as const;

export function killsAreTested(queue: () => QueueSetup, example: () => QueueExample): void {
	describe('Killed workers, one with its old user folder and one with a new one', () => {
		let found: KilledWorkers;
		beforeAll(async () => {
			found = new KilledWorkers(queue(), example());
			await found.run();
			const ended = (folder: Killed['folder'], receiver: Killed['receiver']) =>
				found.ms[found.of('plain', folder, receiver).id];
			measured('workers killed, ms until', {
				'the old folder is read': found.ms['the old folder is read'],
				'a crashed execution has lost its input': ended('old', 'runs'),
				'a running execution has lost its input': ended('new', 'runs'),
			});
			measured('posts of retries', found.retried);
		}, 900_000);

		it.each(['runs', 'ended'] as const)(
			'executions of the old folder crash when the worker starts (received by: %s)',
			(receiver) => {
				for (const kind of KINDS) {
					const { status, hasInput, message } = found.early[found.of(kind, 'old', receiver).id]!;
					expect({ kind, status, hasInput }).toEqual({ kind, status: 'crashed', hasInput: true });
					expect(message).toBe('Workflow did not finish, possible out-of-memory issue');
				}
			},
		);

		it('executions of the new folder are still running at that time', () => {
			for (const receiver of ['runs', 'ended'] as const) {
				for (const kind of KINDS) {
					const { status, hasInput } = found.early[found.of(kind, 'new', receiver).id]!;
					expect({ status, hasInput }).toEqual({ status: 'running', hasInput: true });
				}
			}
		});

		it('a retry of a crashed execution publishes posts again, unless they have keys', () => {
			const [plain, keyed] = [found.of('plain', 'old', 'runs'), found.of('keyed', 'old', 'runs')];
			const sent = found.postsAtKill[plain.id]!;
			expect(sent).toBeGreaterThanOrEqual(5);
			expect(found.retried[`${plain.id} early`]).toEqual({
				...{ before: sent, after: sent + COUNT, texts: COUNT },
			});
			const { after, texts } = found.retried[`${keyed.id} early`]!;
			expect(after).toBe(texts);
		});

		it('the process that received an execution ends it without its input, even after a crash', () => {
			for (const folder of ['old', 'new'] as const) {
				for (const kind of [...KINDS, 'keyed'] as const) {
					const { status, hasInput, message } = found.late[found.of(kind, folder, 'runs').id]!;
					expect({ kind, status, hasInput }).toEqual({ kind, status: 'error', hasInput: false });
					expect(message).toMatch(LOST);
				}
			}
		});

		it('a retry of an execution without input does nothing, but n8n counts it as a success', () => {
			for (const folder of ['old', 'new'] as const) {
				const one = found.of('plain', folder, 'runs');
				const { before, after } = found.retried[`${one.id} late`]!;
				expect(after).toBe(before);
				expect(found.countedAsRetried).toContain(one.id);
				for (const kind of KINDS) {
					const { status, runs } = found.retries[`${found.of(kind, folder, 'runs').id} late`]!;
					expect({ status, runs }).toEqual({ status: 'error', runs: {} });
				}
			}
		});

		it('main marks running executions as crashed at its start if the process that received them has ended', () => {
			for (const kind of KINDS) {
				const [old, fresh] = [found.of(kind, 'old', 'ended'), found.of(kind, 'new', 'ended')];
				expect(found.unmarked[old.id]).toMatchObject({ status: 'crashed', hasInput: true });
				expect(found.unmarked[fresh.id]).toMatchObject({ status: 'running', hasInput: true });
				expect(found.late[fresh.id]).toEqual({
					...{ status: 'crashed', hasInput: true, message: undefined },
				});
			}
		});

		it('a retry of an execution that stays crashed publishes all posts again', () => {
			for (const folder of ['old', 'new'] as const) {
				const one = found.of('plain', folder, 'ended');
				expect(found.late[one.id]).toMatchObject({ status: 'crashed', hasInput: true });
				const sent = found.postsAtKill[one.id]!;
				expect(sent).toBeGreaterThanOrEqual(5);
				expect(found.retried[`${one.id} late`]).toEqual({
					...{ before: sent, after: sent + COUNT, texts: COUNT },
				});
			}
		});

		it('n8n starts the error workflow, except for executions that main marks as crashed later', () => {
			const isReported = (folder: Killed['folder'], receiver: Killed['receiver']) =>
				found.reported.includes(found.of('plain', folder, receiver).id);
			expect([
				isReported('old', 'runs'),
				isReported('new', 'runs'),
				isReported('old', 'ended'),
			]).toEqual([...[true, true, true]]);
			expect(isReported('new', 'ended')).toBe(false);
		});

		it('a new execution publishes no post with a key twice', () => {
			const { posts, texts, unknown } = found.again;
			expect(posts).toBe(texts);
			expect(posts).toBeGreaterThanOrEqual(COUNT - unknown);
			expect(unknown).toBeLessThanOrEqual(5);
		});

		it('a retry of a crashed execution processes its delivery', () => {
			for (const folder of ['old', 'new'] as const) {
				const { id, input } = found.of('delivery', folder, 'ended');
				const { status, runs } = found.retries[`${id} late`]!;
				expect(status).toBe('success');
				expect(runs.Status?.at(-1)?.data?.main[0]?.[0]?.json).toMatchObject({ event_id: input });
			}
		});

		it('a repeated delivery is a duplicate until the process that received it is restarted', () => {
			const result = ({ status, body }: Reply) => [status, (JSON.parse(body) as Item).result];
			expect(result(found.deliveries.toMain)).toEqual([200, 'duplicate']);
			expect(result(found.deliveries.toTheProcessor)).toEqual([200, 'accepted']);
		});

		it("the example's query lists executions that died without a key, until a retry has succeeded", () => {
			const died = (receiver: Killed['receiver']) =>
				found.killed
					.filter((one) => one.kind === 'article' && one.receiver === receiver)
					.map(({ id }) => `execution ${id}`);
			const [kept, lost] = [died('ended'), died('runs')];
			expect([...kept, ...lost].length).toBeGreaterThanOrEqual(4);
			expect(found.toCheck.before).toEqual(expect.arrayContaining([...kept, ...lost]));
			expect(found.toCheck.after).toEqual(expect.arrayContaining(lost));
			expect(found.toCheck.after.filter((what) => kept.includes(what))).toEqual([]);
			const posts = (folder: Killed['folder'], receiver: Killed['receiver']) =>
				found.retried[`${found.of('article', folder, receiver).id} late`]?.after;
			expect([posts('old', 'ended'), posts('new', 'ended')]).toEqual([1, 1]);
			expect([posts('old', 'runs'), posts('new', 'runs')]).toEqual([0, 0]);
		});
	});
}
