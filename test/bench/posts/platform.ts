import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedRequest, type RouteName, ROUTES } from '../../emulator';
import { Child } from '../../n8n/child';
import { root } from '../../n8n/pack';

const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 50;

type Connections = { open: number; peak: number; total: number };

/** Where the counting of a run begins. */
export interface Mark {
	requests: number;
	sockets: number;
}

/** What has reached the platform since a mark. */
export interface Arrivals {
	requests: ReceivedRequest[];
	/** Connections opened. */
	sockets: number;
	/** Connections open at the same time. */
	peak: number;
}

/** The platform's stand-in, in a process of its own: it shares no event loop with any sender. */
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
		const deadline = Date.now() + PATIENCE_MS;
		while (child.running && Date.now() < deadline) {
			const ready = /^\{.*\}$/m.exec(child.log())?.[0];
			if (ready !== undefined) {
				const { url, pid } = JSON.parse(ready) as { url: string; pid: number };
				return new Platform(url, latencyMs, pid, child);
			}
			await sleep(LOOK_EVERY_MS);
		}
		await child.stop();
		throw new Error(`The platform's stand-in did not start:\n${child.log()}`);
	}

	/** Forgets everything, once the connections of the last run are closed. */
	async clear(): Promise<void> {
		const deadline = Date.now() + PATIENCE_MS;
		while ((await this.connections()).open > 0) {
			if (Date.now() > deadline) throw new Error('Connections of an earlier run are still open');
			await sleep(LOOK_EVERY_MS);
		}
		await this.control('reset');
	}

	async expireTokens(): Promise<void> {
		await this.control('expireTokens');
	}

	async mark(): Promise<Mark> {
		const requests = await this.control<ReceivedRequest[]>('received');
		return { requests: requests.length, sockets: (await this.connections()).total };
	}

	async since(mark: Mark): Promise<Arrivals> {
		const requests = (await this.control<ReceivedRequest[]>('received')).slice(mark.requests);
		const { total, peak } = await this.connections();
		// The platform counts from the reset on, and one request may have come before the mark.
		return { requests, sockets: total - mark.sockets, peak: requests.length > 0 ? peak : 0 };
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
