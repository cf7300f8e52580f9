import { join } from 'node:path';
import { lean } from '../n8n/n8n';
import { freePort } from '../n8n/ports';
import { QueueProcess, type Role } from './queueProcess';
import { Postgres, Redis } from '../n8n/services';
import { Setup } from '../n8n/setup';
import type { Finding } from '../n8n/sweep';

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
		await queue.startOthers('worker 1', 'worker 2');
		return queue;
	}

	/** Starts a webhook processor, and two workers in user folders of these names, which may be new. */
	async startOthers(...folders: string[]): Promise<void> {
		const { userFolder } = this.setup.n8n;
		const start = async (role: Role, folder: string) =>
			await QueueProcess.start(role, join(userFolder, folder), { env: this.env });
		const [webhook, ...workers] = await Promise.all([
			start('webhook', 'webhook processor'),
			...folders.map(async (folder) => await start('worker', folder)),
		]);
		this.webhook = webhook;
		this.workers.splice(0, this.workers.length, ...workers);
	}

	/** All data in PostgreSQL and Redis, and all messages that were sent through Redis. */
	kept(): Record<string, string> {
		return {
			PostgreSQL: this.postgres.dump(),
			"PostgreSQL's log": this.postgres.log(),
			...this.redis.kept(),
		};
	}

	/**
	 * Looks for secrets in these data, in the user folders and logs of all processes, and in executions.
	 *
	 * @param texts further texts to search, by name
	 */
	async sweep(texts: Record<string, string>): Promise<Finding[]> {
		return await this.setup.sweep({ ...this.kept(), ...texts });
	}

	async stop(): Promise<void> {
		await Promise.all([this.webhook, ...this.workers].map(async (one) => await one.stop()));
		await this.setup.stop();
		await Promise.all([this.redis.stop(), this.postgres.stop()]);
	}
}
