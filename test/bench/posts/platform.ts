import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedRequest, type RouteName, ROUTES } from '../../emulator';
import { Child } from '../../n8n/child';
import { root } from '../../n8n/pack';

const TIMEOUT_MS = 20_000;
const INTERVAL_MS = 50;

type Connections = { open: number; peak: number; total: number };

/** The counts at the start of a run. */
export interface Checkpoint {
	requests: number;
	sockets: number;
}

/** What the platform has received since a checkpoint. */
export interface Arrivals {
	requests: ReceivedRequest[];
	/** The number of new connections. */
	sockets: number;
	/** The maximum number of open connections. */
	peak: number;
}

/** The emulator in a separate process, so that it shares no event loop with a sender. */
export class Platform {
	private constructor(
		readonly url: string,
		readonly latencyMs: number,
		readonly pid: number,
		private readonly child: Child,
	) {}

	static async start(latencyMs: number, logFile: string): Promise<Platform> {
		const cli = join(root, 'test', 'emulator', 'cli.ts');
		const args = ['--import', 'tsx', cli, '--latency', String(latencyMs)];
		const program = process.execPath;
		const child = new Child({ program, args, cwd: root, env: process.env, logFile });
		const deadline = Date.now() + TIMEOUT_MS;
		while (child.running && Date.now() < deadline) {
			const ready = /^\{.*\}$/m.exec(child.log())?.[0];
			if (ready !== undefined) {
				const { url, pid } = JSON.parse(ready) as { url: string; pid: number };
				return new Platform(url, latencyMs, pid, child);
			}
			await sleep(INTERVAL_MS);
		}
		await child.stop();
		throw new Error(`The emulator did not start:\n${child.log()}`);
	}

	/** Waits until the connections of the last run are closed, and resets the platform. */
	async clear(): Promise<void> {
		const deadline = Date.now() + TIMEOUT_MS;
		while ((await this.connections()).open > 0) {
			if (Date.now() > deadline) throw new Error('Connections of the last run are still open');
			await sleep(INTERVAL_MS);
		}
		await this.control('reset');
	}

	async expireTokens(): Promise<void> {
		await this.control('expireTokens');
	}

	async checkpoint(): Promise<Checkpoint> {
		const requests = await this.control<ReceivedRequest[]>('received');
		return { requests: requests.length, sockets: (await this.connections()).total };
	}

	async since(checkpoint: Checkpoint): Promise<Arrivals> {
		const requests = (await this.control<ReceivedRequest[]>('received')).slice(checkpoint.requests);
		const { total, peak } = await this.connections();
		// The platform counts since its reset, and the credential test has sent a request before the checkpoint.
		return { requests, sockets: total - checkpoint.sockets, peak: requests.length > 0 ? peak : 0 };
	}

	async stop(): Promise<void> {
		await this.child.stop();
	}

	private async connections(): Promise<Connections> {
		return (await this.control<{ connections: Connections }>('state')).connections;
	}

	private async control<T>(name: RouteName): Promise<T> {
		const { method, path } = ROUTES[name];
		const answer = await fetch(`${this.url}${path}`, { method });
		if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
		return (await answer.json()) as T;
	}
}
