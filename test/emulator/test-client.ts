import { createHash } from 'node:crypto';

import { startEmulator, type Emulator } from './index';
import type { EmulatorOptions } from './options';

export interface TestAnswer {
	status: number;
	headers: Headers;
	text: string;
	/** The parsed JSON of the text, or undefined. */
	json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read any field of the response
}

/** The HTTP client of the emulator's own tests. It does not use the emulator's code for signatures. */
export class TestClient {
	constructor(private readonly emulator: Emulator) {}

	async send(
		method: string,
		path: string,
		body?: unknown,
		headers: Record<string, string> = {},
	): Promise<TestAnswer> {
		const answer = await fetch(`${this.emulator.url}${path}`, {
			method,
			headers: { 'content-type': 'application/json', ...headers },
			body: typeof body === 'string' ? body : JSON.stringify(body),
		});
		const text = await answer.text();
		const isJson = /^[[{]/.test(text);
		const json: unknown = isJson ? JSON.parse(text) : undefined;
		return { status: answer.status, headers: answer.headers, text, json };
	}

	/** Returns the body of a signed token request, for IDs and secrets that need no encoding. */
	tokenRequest(): Record<string, unknown> {
		const { appId, appSecret } = this.emulator;
		const timestamp = Date.now();
		const form = `app_id=${appId}&app_secret=${appSecret}&sign_ver=1.0&timestamp=${timestamp}`;
		const signature = createHash('md5').update(form).digest('hex');
		return { app_id: appId, sign_ver: '1.0', timestamp, signature };
	}

	async token(): Promise<string> {
		const { json } = await this.send('POST', '/api/v1/getAccessToken', this.tokenRequest());
		return json.data.access_token as string;
	}

	async createPost(body: unknown, token?: string): Promise<TestAnswer> {
		const headers = { 'x-legacy-token': token ?? (await this.token()) };
		return await this.send('POST', '/api/v1/socialPostCreatePhoto', body, headers);
	}

	/** Sends a chat request that is authorized by the secret. */
	async chat(path: string, body: object, authorization = `Bearer ${this.emulator.appSecret}`) {
		return await this.send('POST', path, { model: 'm1', ...body }, { authorization });
	}
}

/** Starts an emulator with a client for the tests of a file, and resets it before each test. */
export function useEmulator(options: EmulatorOptions = {}) {
	const running = {} as { emulator: Emulator; client: TestClient };
	beforeAll(async () => {
		running.emulator = await startEmulator(options);
		running.client = new TestClient(running.emulator);
	});
	beforeEach(() => running.emulator.reset());
	afterAll(async () => await running.emulator.stop());
	return running;
}
