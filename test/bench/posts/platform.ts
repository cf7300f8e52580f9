import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ReceivedRequest, type RouteName, ROUTES } from '../../emulator';
import { Child } from '../../n8n/child';
import { root } from '../../n8n/pack';

const TIMEOUT_MS = 20_000;
const INTERVAL_MS = 50;

/** The emulated way to a platform. */
export interface Distance {
	roundTripMs: number;
	/** The files of the private key and of the certificate for TLS. */
	key: string;
	certificate: string;
}

/** A TypeScript program of this project in a separate process, so that it shares no event loop with a sender. */
interface Program {
	url: string;
	pid: number;
	child: Child;
}

/** Starts a program that prints its URL and its process ID as JSON when it is ready. */
async function start(file: string, args: unknown[], logFile: string): Promise<Program> {
	const child = new Child({
		...{ program: process.execPath, cwd: root, env: process.env, logFile },
		args: ['--import', 'tsx', join(root, 'test', file), ...args.map(String)],
	});
	const deadline = Date.now() + TIMEOUT_MS;
	while (child.running && Date.now() < deadline) {
		const ready = /^\{.*\}$/m.exec(child.log())?.[0];
		if (ready !== undefined) return { ...(JSON.parse(ready) as Program), child };
		await sleep(INTERVAL_MS);
	}
	await child.stop();
	throw new Error(`${file} did not start:\n${child.log()}`);
}

/** An emulator with a fixed response time. */
export class Platform {
	private constructor(
		private readonly programs: [emulator: Program, proxy?: Program],
		readonly distance?: Distance,
	) {}

	/** @param distance the way to the platform; by default, it is reached by plain HTTP without a delay */
	static async start(latencyMs: number, logFile: string, distance?: Distance): Promise<Platform> {
		const emulator = await start('emulator/cli.ts', ['--latency', latencyMs], logFile);
		if (!distance) return new Platform([emulator]);
		const { roundTripMs, key, certificate } = distance;
		const args = [new URL(emulator.url).port, roundTripMs, key, certificate];
		const proxy = await start('bench/posts/distantProxy.ts', args, `${logFile}.proxy`);
		return new Platform([emulator, proxy], distance);
	}

	/** The Base URL for senders. */
	get url(): string {
		const [emulator, proxy] = this.programs;
		return (proxy ?? emulator).url;
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

	/** The bodies of the accepted posts since the last reset, and the maximum number of open connections. */
	async arrived(): Promise<{ bodies: string[]; peak: number }> {
		const requests = await this.control<ReceivedRequest[]>('received');
		const posts = requests.filter(
			({ operation, tookEffect }) => operation === 'createPost' && tookEffect,
		);
		const { peak } = await this.connections();
		return { bodies: posts.map(({ rawBody }) => rawBody), peak };
	}

	async stop(): Promise<void> {
		for (const program of this.programs) await program?.child.stop();
	}

	private async connections(): Promise<{ open: number; peak: number }> {
		return (await this.control<{ connections: { open: number; peak: number } }>('state'))
			.connections;
	}

	private async control<T>(name: RouteName): Promise<T> {
		const { method, path } = ROUTES[name];
		const answer = await fetch(`${this.programs[0].url}${path}`, { method });
		if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
		return (await answer.json()) as T;
	}
}
