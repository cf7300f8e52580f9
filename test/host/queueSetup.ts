import { join } from 'node:path';
import { mkdirSync } from 'node:fs';
import { lean, N8n } from '../n8n/n8n';
import { packed, unpack } from '../n8n/pack';
import { freePort } from '../n8n/ports';
import { Postgres, Redis } from '../n8n/services';
import { Setup } from '../n8n/setup';

/** n8n in queue mode: a main, a webhook processor and two workers, on Redis and PostgreSQL. */

/** n8n's defaults are 60,000 ms for the lock of a killed worker, and 30,000 ms between checks for dead executions. */
const TIMES = { QUEUE_WORKER_LOCK_DURATION: '30000', QUEUE_WORKER_STALLED_INTERVAL: '2000' };

const environment = (redis: Redis, postgres: Postgres, port: number): NodeJS.ProcessEnv => ({
	...lean,
	...TIMES,
	EXECUTIONS_MODE: 'queue',
	// The address of main, from which the platform downloads files.
	WEBHOOK_URL: `http://127.0.0.1:${port}/`,
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	QUEUE_BULL_REDIS_HOST: '127.0.0.1',
	QUEUE_BULL_REDIS_PORT: String(redis.port),
	DB_TYPE: 'postgresdb',
	DB_POSTGRESDB_HOST: '127.0.0.1',
	DB_POSTGRESDB_PORT: String(postgres.port),
	DB_POSTGRESDB_DATABASE: postgres.database,
	DB_POSTGRESDB_USER: postgres.user,
	DB_POSTGRESDB_PASSWORD: postgres.password,
});

type Role = 'worker' | 'webhook';

/** A worker or a webhook processor of an n8n in queue mode. */
class QueueProcess {
	private constructor(
		readonly url: string,
		private readonly n8n: N8n,
	) {}

	/** Uses a separate user folder with the packed package, as on another machine. */
	static async start(
		command: Role,
		userFolder: string,
		env: NodeJS.ProcessEnv,
	): Promise<QueueProcess> {
		mkdirSync(userFolder, { recursive: true });
		unpack(await packed(), userFolder);
		const port = await freePort();
		const own = {
			...env,
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		};
		const n8n = await N8n.start({ command, userFolder, port, env: own });
		return new QueueProcess(n8n.url, n8n);
	}

	/** The number of executions that it has started. */
	startedExecutions = (): number => this.n8n.log().split('Worker started execution').length - 1;

	/** Whether it has started the execution. */
	hasStarted = (id: string): boolean => this.n8n.log().includes(`Worker started execution ${id} `);

	/** Kills the process at once, as the kernel does when memory runs out. */
	async kill(): Promise<void> {
		this.n8n.kill('SIGKILL');
		await this.n8n.ended;
	}

	/** Sends SIGTERM, and waits longer than n8n's default of 30 seconds for executions. */
	async finish(): Promise<number | string> {
		return await this.n8n.stop(60_000);
	}
}

export class QueueSetup {
	webhook!: QueueProcess;

	readonly workers: QueueProcess[] = [];

	private constructor(
		readonly redis: Redis,
		readonly postgres: Postgres,
		readonly setup: Setup,
		private readonly env: NodeJS.ProcessEnv,
	) {}

	static async start(): Promise<QueueSetup> {
		const [redis, postgres] = await Promise.all([Redis.start(), Postgres.start()]);
		const port = await freePort();
		const env = environment(redis, postgres, port);
		const queue = new QueueSetup(redis, postgres, await Setup.start({ env, port }), env);
		[queue.webhook] = await Promise.all([
			queue.start('webhook', 'webhook processor'),
			queue.startWorkers('worker 1', 'worker 2'),
		]);
		return queue;
	}

	/** Starts workers in user folders of these names, which may be new. */
	async startWorkers(...folders: string[]): Promise<void> {
		const all = folders.map(async (folder) => await this.start('worker', folder));
		this.workers.splice(0, this.workers.length, ...(await Promise.all(all)));
	}

	private async start(role: Role, folder: string): Promise<QueueProcess> {
		const userFolder = join(this.setup.n8n.userFolder, folder);
		return await QueueProcess.start(role, userFolder, this.env);
	}

	/** All data in PostgreSQL and Redis, and all messages that were sent through Redis. */
	kept(): Record<string, string> {
		return {
			PostgreSQL: this.postgres.dump(),
			"PostgreSQL's log": this.postgres.log(),
			...this.redis.kept(),
		};
	}

	async stop(): Promise<void> {
		await Promise.all([this.webhook, ...this.workers].map(async (one) => await one.finish()));
		await this.setup.stop();
		await Promise.all([this.redis.stop(), this.postgres.stop()]);
	}
}
