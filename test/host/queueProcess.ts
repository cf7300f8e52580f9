import { mkdirSync } from 'node:fs';
import { N8n, type N8nOptions } from '../n8n/n8n';
import { packed, unpack } from '../n8n/pack';
import { freePort } from '../n8n/ports';

export type Role = 'worker' | 'webhook';

/** A worker or a webhook processor of an n8n in queue mode. */
export class QueueProcess {
	private constructor(
		readonly url: string,
		private readonly n8n: N8n,
	) {}

	/** Uses a separate user folder with the packed package, as on another machine. */
	static async start(command: Role, userFolder: string, main: N8nOptions): Promise<QueueProcess> {
		mkdirSync(userFolder, { recursive: true });
		unpack(await packed(), userFolder);
		const port = await freePort();
		const env = {
			...main.env,
			QUEUE_HEALTH_CHECK_ACTIVE: 'true',
			QUEUE_HEALTH_CHECK_PORT: String(port),
			N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
		};
		const n8n = await N8n.start({ ...main, command, userFolder, port, env });
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

	async stop(): Promise<void> {
		await this.n8n.stop();
	}

	/** Sends SIGTERM, and waits longer than n8n's default of 30 seconds for executions. */
	async finish(): Promise<number | string> {
		return await this.n8n.stop(60_000);
	}
}
