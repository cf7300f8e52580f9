import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedRequest, type RouteName, ROUTES } from '../../emulator';
import { Child } from '../../n8n/child';
import { root } from '../../n8n/pack';

const TIMEOUT_MS = 20_000;
const INTERVAL_MS = 50;

type Connections = { open: number; peak: number; total: number };

/** The emulated way to a platform. */
export interface Distance {
	roundTripMs: number;
	/** The files of the private key and of the certificate for TLS. */
	key: string;
	certificate: string;
}

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

/** A TypeScript program of this project in a separate process. */
class Program {
	private constructor(
		readonly url: string,
		readonly pid: number,
		private readonly child: Child,
	) {}

	/** Starts a program that prints its URL and its process ID as JSON when it is ready. */
	static async start(file: string, args: unknown[], logFile: string): Promise<Program> {
		const child = new Child({
			...{ program: process.execPath, cwd: root, env: process.env, logFile },
			args: ['--import', 'tsx', join(root, 'test', file), ...args.map(String)],
		});
		const deadline = Date.now() + TIMEOUT_MS;
		while (child.running && Date.now() < deadline) {
			const ready = /^\{.*\}$/m.exec(child.log())?.[0];
			if (ready !== undefined) {
				const { url, pid } = JSON.parse(ready) as { url: string; pid: number };
				return new Program(url, pid, child);
			}
			await sleep(INTERVAL_MS);
		}
		await child.stop();
		throw new Error(`${file} did not start:\n${child.log()}`);
	}

	async stop(): Promise<void> {
		await this.child.stop();
	}
}

/** The emulator in a separate process, so that it shares no event loop with a sender. */
export class Platform {
	private constructor(
		readonly latencyMs: number,
		private readonly programs: [emulator: Program, proxy?: Program],
		readonly distance?: Distance,
	) {}

	/** @param distance the way to the platform; by default, it is reached by plain HTTP without a delay */
	static async start(latencyMs: number, logFile: string, distance?: Distance): Promise<Platform> {
		const latency = ['--latency', latencyMs];
		const emulator = await Program.start('emulator/cli.ts', latency, logFile);
		if (!distance) return new Platform(latencyMs, [emulator]);
		const { roundTripMs, key, certificate } = distance;
		const args = [new URL(emulator.url).port, roundTripMs, key, certificate];
		const proxy = await Program.start('bench/posts/distantProxy.ts', args, `${logFile}.proxy`);
		return new Platform(latencyMs, [emulator, proxy], distance);
	}

	/** The Base URL for senders. */
	get url(): string {
		const [emulator, proxy] = this.programs;
		return (proxy ?? emulator).url;
	}

	get pids(): number[] {
		return this.programs.flatMap((program) => program?.pid ?? []);
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
		for (const program of this.programs) await program?.stop();
	}

	private async connections(): Promise<Connections> {
		return (await this.control<{ connections: Connections }>('state')).connections;
	}

	private async control<T>(name: RouteName): Promise<T> {
		const { method, path } = ROUTES[name];
		const answer = await fetch(`${this.programs[0].url}${path}`, { method });
		if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
		return (await answer.json()) as T;
	}
}
