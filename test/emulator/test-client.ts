import { createHash } from 'node:crypto';

import { Agent, request } from 'undici';

import type { Emulator } from './emulator';

export interface TestAnswer {
	status: number;
	headers: Record<string, string | string[] | undefined>;
	text: string;
	/** The parsed JSON of the text, or undefined. */
	json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read any field of the response
}

/** The HTTP client of the emulator's own tests. It does not use the emulator's code for signatures. */
export class TestClient {
	private readonly agent = new Agent();

	constructor(private readonly emulator: Emulator) {}

	async send(
		method: string,
		path: string,
		body?: unknown,
		headers: Record<string, string> = {},
	): Promise<TestAnswer> {
		const answer = await request(`${this.emulator.url}${path}`, {
			method: method as 'POST',
			headers: {
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
				...headers,
			},
			body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
			dispatcher: this.agent,
		});
		const text = await answer.body.text();
		let json: unknown;
		try {
			json = JSON.parse(text);
		} catch {
			json = undefined;
		}
		return { status: answer.statusCode, headers: answer.headers, text, json };
	}

	/** Returns the body of a signed token request, for IDs and secrets that need no encoding. */
	tokenRequest(timestamp = Date.now()): Record<string, unknown> {
		const { appId, appSecret } = this.emulator;
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
	async chat(
		path: string,
		body: object,
		headers: Record<string, string> = this.secretHeader(),
	): Promise<TestAnswer> {
		return await this.send('POST', path, { model: 'm1', ...body }, headers);
	}

	private secretHeader(): Record<string, string> {
		return { authorization: `Bearer ${this.emulator.appSecret}` };
	}

	async control(method: string, name: string, body?: unknown): Promise<TestAnswer> {
		return await this.send(method, `/__emulator/${name}`, body);
	}

	async close(): Promise<void> {
		await this.agent.destroy();
	}
}
