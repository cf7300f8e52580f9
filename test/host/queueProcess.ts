import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Child } from '../n8n/child';
import { modulesOf, newest, programOf } from '../n8n/hosts';
import { hostNode } from '../n8n/install';
import { ownPackages } from '../n8n/n8n';
import { packed, unpack } from '../n8n/pack';
import { freePort } from '../n8n/ports';
import { pause } from './postFlow';

export type Role = 'worker' | 'webhook';

/** A worker or a webhook processor of an n8n in queue mode. */
export class QueueProcess {
	private constructor(
		readonly name: string,
		readonly url: string,
		private readonly child: Child,
	) {}

	/** Uses a separate user folder with the packed package, as on another machine. */
	static async start(
		role: Role,
		name: string,
		folder: string,
		env: NodeJS.ProcessEnv,
	): Promise<QueueProcess> {
		const userFolder = join(folder, name);
		mkdirSync(userFolder, { recursive: true });
		unpack(await packed(), userFolder);
		const port = await freePort();
		const { PATH, HOME, LANG, TZ, TMPDIR } = process.env;
		const child = new Child({
			program: hostNode,
			args: ['--require', ownPackages, programOf(newest), role],
			cwd: userFolder,
			logFile: join(userFolder, 'n8n.log'),
			env: {
				...{ PATH, HOME, LANG, TZ, TMPDIR },
				...env,
				N8N_DISABLED_MODULES: newest.disabledModules.join(','),
				OWN_PACKAGES: modulesOf(newest),
				NODE_ENV: 'production',
				N8N_USER_FOLDER: userFolder,
				N8N_LISTEN_ADDRESS: '127.0.0.1',
				N8N_HOST: '127.0.0.1',
				N8N_PORT: String(port),
				N8N_RUNNERS_BROKER_PORT: String(await freePort()),
				QUEUE_HEALTH_CHECK_ACTIVE: 'true',
				QUEUE_HEALTH_CHECK_PORT: String(port),
				N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
			},
		});
		const started = new QueueProcess(name, `http://127.0.0.1:${port}`, child);
		await started.ready();
		return started;
	}

	/** The number of executions that it has started. */
	startedExecutions = (): number => this.log().split('Worker started execution').length - 1;

	/** Whether it has started the execution. */
	hasStarted = (id: string): boolean => this.log().includes(`Worker started execution ${id} `);

	log = (): string => this.child.log();

	/** Kills the process at once, as the kernel does when memory runs out. */
	async kill(): Promise<void> {
		this.child.kill('SIGKILL');
		await this.child.ended;
	}

	async stop(): Promise<void> {
		await this.child.stop();
	}

	/** Sends SIGTERM, and waits longer than n8n's default of 30 seconds for executions. */
	async finish(): Promise<number | string> {
		return await this.child.stop(60_000);
	}

	private async ready(): Promise<void> {
		const deadline = Date.now() + 300_000;
		while (this.child.running && Date.now() < deadline) {
			const answer = await fetch(`${this.url}/healthz/readiness`).catch(() => undefined);
			if (answer?.ok) return;
			await pause(250);
		}
		await this.child.stop();
		throw new Error(`The ${this.name} did not start:\n${this.log().slice(-3000)}`);
	}
}
