import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Delivery {
	path: string;
	headers: Record<string, string>;
	body: string;
}

export interface Answer {
	status: number;
	text: string;
	ms: number;
}

/** Sends requests. It does as little as possible, because it shares the machine with n8n. */
export class Load {
	private readonly pool: Pool;

	/**
	 * @param connections the number of keep-alive connections, each with one request at a time
	 * @param ca the certificate to trust
	 */
	constructor(
		url: string,
		private readonly connections: number,
		ca?: Buffer,
	) {
		this.pool = new Pool(url, { connections, pipelining: 1, connect: { ca } });
	}

	/** @throws Error if there is no response */
	async send({ path, headers, body }: Delivery): Promise<Answer> {
		const started = performance.now();
		const answer = await this.pool.request({ method: 'POST', path, headers, body });
		const text = await answer.body.text();
		return { status: answer.statusCode, text, ms: performance.now() - started };
	}

	/**
	 * Keeps all connections busy: each response is followed by the next request. `seconds` is the time
	 * from the first request to the last response.
	 */
	async burst<T>(ms: number, one: () => Promise<T>): Promise<{ results: T[]; seconds: number }> {
		const results: T[] = [];
		const started = performance.now();
		const connection = async () => {
			while (performance.now() - started < ms) results.push(await one());
		};
		await Promise.all(Array.from({ length: this.connections }, connection));
		return { results, seconds: (performance.now() - started) / 1000 };
	}

	/** Sends requests at an interval, without waiting for responses. */
	async pace<T>(everyMs: number, requests: Array<() => Promise<T>>): Promise<T[]> {
		const started = performance.now();
		const later = async (request: () => Promise<T>, index: number) => {
			await sleep(Math.max(0, started + index * everyMs - performance.now()));
			return await request();
		};
		return await Promise.all(requests.map(later));
	}

	async stop(): Promise<void> {
		await this.pool.close();
	}
}
