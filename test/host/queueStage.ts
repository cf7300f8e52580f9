import { N8n, quiet } from './n8n';
import { QueueProcess } from './queueProcess';
import { Postgres, Redis } from './services';
import { Stage } from './stage';
import type { Finding } from './sweep';

/** n8n in queue mode: a main, a webhook processor and two workers, on Redis and PostgreSQL. */

const KEY = 'queue-tests-encryption-key';

/** What n8n's own settings are when they are left out: 60,000, 10,000 and 30,000 ms. */
const SOONER = {
	QUEUE_WORKER_LOCK_DURATION: '4000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '1000',
	QUEUE_WORKER_STALLED_INTERVAL: '2000',
};

const environment = (redis: Redis, postgres: Postgres): NodeJS.ProcessEnv => ({
	...quiet,
	...SOONER,
	EXECUTIONS_MODE: 'queue',
	OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
	QUEUE_BULL_REDIS_HOST: '127.0.0.1',
	QUEUE_BULL_REDIS_PORT: String(redis.port),
	DB_TYPE: 'postgresdb',
	DB_POSTGRESDB_HOST: '127.0.0.1',
	DB_POSTGRESDB_PORT: String(postgres.port),
	DB_POSTGRESDB_DATABASE: postgres.database,
	DB_POSTGRESDB_USER: postgres.user,
	DB_POSTGRESDB_PASSWORD: postgres.password,
	N8N_ENCRYPTION_KEY: KEY,
});

export class QueueStage {
	private constructor(
		readonly redis: Redis,
		readonly postgres: Postgres,
		readonly stage: Stage,
		readonly webhook: QueueProcess,
		readonly workers: QueueProcess[],
		private readonly env: NodeJS.ProcessEnv,
	) {}

	static async set(): Promise<QueueStage> {
		const [redis, postgres] = await Promise.all([Redis.start(), Postgres.start()]);
		const env = environment(redis, postgres);
		const userFolder = N8n.makeUserFolder();
		const stage = await Stage.set({ userFolder, encryptionKey: KEY, env });
		const [webhook, ...workers] = await Promise.all([
			QueueProcess.start('webhook', 'webhook processor', userFolder, env),
			QueueProcess.start('worker', 'worker 1', userFolder, env),
			QueueProcess.start('worker', 'worker 2', userFolder, env),
		]);
		return new QueueStage(redis, postgres, stage, webhook, workers, env);
	}

	/** Ends workers at once, all at the same moment. */
	async kill(...workers: QueueProcess[]): Promise<void> {
		await Promise.all(workers.map(async (worker) => await worker.kill()));
	}

	/**
	 * New workers in the place of those that have ended: in new user folders, or in the same ones. Those
	 * look for stalled jobs as seldom as n8n's own settings make them, and so find first, in their folders,
	 * what they were at.
	 */
	async replaceWorkers(folders: 'same' | 'new'): Promise<void> {
		const folder = this.stage.n8n.userFolder;
		const seldom = { QUEUE_WORKER_STALLED_INTERVAL: '30000' };
		const env = folders === 'same' ? { ...this.env, ...seldom } : this.env;
		const start = async ({ name }: QueueProcess) => {
			const next = folders === 'same' ? name : `${name}, new`;
			return await QueueProcess.start('worker', next, folder, env);
		};
		this.workers.splice(0, this.workers.length, ...(await Promise.all(this.workers.map(start))));
	}

	/** All that PostgreSQL and Redis keep, and all that anybody ever sent through Redis. */
	kept(): Record<string, string> {
		return {
			PostgreSQL: this.postgres.dump(),
			"PostgreSQL's log": this.postgres.log(),
			...this.redis.kept(),
		};
	}

	/**
	 * Looks for secrets in that, in the user folders and logs of all processes, and in executions.
	 *
	 * @param texts where else to look, by name
	 */
	async sweep(texts: Record<string, string>): Promise<Finding[]> {
		return await this.stage.sweep({ ...this.kept(), ...texts });
	}

	async strike(): Promise<void> {
		await Promise.all([this.webhook, ...this.workers].map(async (one) => await one.stop()));
		await this.stage.strike();
		await Promise.all([this.redis.strike(), this.postgres.strike()]);
	}
}
