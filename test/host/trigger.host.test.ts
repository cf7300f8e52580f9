import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';
import { send, TriggerFlow, type Reply } from './triggerFlow';
import { reference, TRIGGER_TYPE } from '../n8n/workflows';

let setup: Setup;
let credential: Credential;
beforeAll(async () => {
	setup = await Setup.start();
	credential = await setup.credential('platform');
});
afterAll(async () => await setup?.stop());

let number = 0;

/** A status as the platform sends it. Each has its own ID. */
const event = (status = 'published', more: Record<string, unknown> = {}) => ({
	event: `post.${status}`,
	id: `evt_${++number}`,
	data: { action_sn: `SA${number}`, social_post_id: number, status, platform: 'PHOTO', ...more },
});

describe('an event', () => {
	const presets = [
		['body', 'Body'],
		['timestampBody', 'Timestamp and Body'],
		['standardWebhooks', 'Standard Webhooks'],
		['bodySha512', 'Body SHA-512'],
		['sortedFields', 'Sorted Fields'],
	] as const;

	it.each(presets)('starts the workflow when it is signed by the preset %s', async (recipe) => {
		const own = await setup.credential(recipe, { signatureRecipe: recipe });
		const flow = await TriggerFlow.active(setup, own);
		const { attempts } = await setup.emulator.deliver(event('failed', { message: 'Too dark' }), {
			url: flow.url,
			recipe,
		});
		expect(attempts).toMatchObject([{ status: 200 }]);
		expect(await flow.items()).toMatchObject([
			{ status: 'failed', outcome: 'failed', final: true, message: 'Too dark', platform: 'PHOTO' },
		]);
	});

	it('has all its fields and every digit of a 64-bit ID in the output', async () => {
		const flow = await TriggerFlow.active(setup, credential);
		const raw =
			'{"event":"post.published","id":"evt_all","data":{"action_sn":"SA_all","social_post_id":9007199254740993,' +
			'"status":"published","platform":"PHOTO","social_account_id":"acc_1","url":"https://example.com/p/1"}}';
		await setup.emulator.deliver(raw, { url: flow.url });
		expect(await flow.items()).toEqual([
			{
				event_id: 'evt_all',
				action_sn: 'SA_all',
				social_post_id: '9007199254740993',
				status: 'published',
				platform: 'PHOTO',
				social_account_id: 'acc_1',
				outcome: 'published',
				final: true,
				received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
				payload: {
					event: 'post.published',
					id: 'evt_all',
					data: {
						action_sn: 'SA_all',
						social_post_id: '9007199254740993',
						status: 'published',
						platform: 'PHOTO',
						social_account_id: 'acc_1',
						url: 'https://example.com/p/1',
					},
				},
			},
		]);
	});

	it('has an output schema for the editor', async () => {
		const path = `/schemas/${TRIGGER_TYPE}/2.0.0.json`;
		const schema = await setup.rest.call<{ properties: object }>('GET', path);
		expect(Object.keys(schema.properties)).toEqual([
			...['event_id', 'action_sn', 'social_post_id', 'status', 'platform', 'social_account_id'],
			...['outcome', 'final', 'received_at', 'message', 'social_account_name', 'payload'],
		]);
	});

	it('starts only the workflows whose filters accept it', async () => {
		const failed = await TriggerFlow.active(setup, credential, { events: ['failed'] });
		const final = await TriggerFlow.active(setup, credential, { onlyFinalStatuses: true });
		const ours = await TriggerFlow.active(setup, credential, { socialAccountIds: ['acc_1'] });
		for (const flow of [failed, final, ours]) {
			for (const status of ['processing', 'published', 'failed']) {
				const account = status === 'failed' ? 'acc_1' : 'acc_2';
				const one = event(status, { social_account_id: account });
				const { attempts } = await setup.emulator.deliver(one, { url: flow.url });
				expect(attempts).toMatchObject([{ status: 200 }]);
			}
		}
		const flows = [failed, final, ours];
		const wanted = [1, 2, 1];
		for (const [index, flow] of flows.entries()) await flow.succeeded(wanted[index]!);
		expect(await Promise.all(flows.map(async (flow) => await flow.count()))).toEqual(wanted);
	});

	it('has the name of an account that the credential lists, as the filter offers it', async () => {
		const account = [{ name: 'Harbour', id: 'acc_1' }];
		const own = await setup.credential('accounts', { accounts: { account } });
		const flow = await TriggerFlow.active(setup, own, { socialAccountIds: ['acc_1', 'acc_2'] });
		const events = ['acc_1', 'acc_2', 'acc_3'].map((id) =>
			event('failed', { social_account_id: id }),
		);
		await setup.emulator.deliver(events, { url: flow.url });
		const items = await flow.items();
		expect(items.map((item) => [item.social_account_id, item.social_account_name])).toEqual([
			['acc_1', 'Harbour'],
			['acc_2', undefined],
		]);
		const offered = await setup.rest.call('POST', '/rest/dynamic-node-parameters/options', {
			nodeTypeAndVersion: { name: TRIGGER_TYPE, version: 2 },
			...{ path: 'parameters.socialAccountIds', methodName: 'getAccounts' },
			...{ currentNodeParameters: { socialAccountIds: ['acc_2'] }, credentials: reference(own) },
		});
		expect(offered).toEqual([
			{ name: 'Harbour', value: 'acc_1' },
			{ name: 'acc_2', value: 'acc_2' },
		]);
	});

	it('has one item for each event of a list', async () => {
		const flow = await TriggerFlow.active(setup, credential);
		await setup.emulator.deliver([event('published'), event('rejected')], { url: flow.url });
		expect(await flow.items()).toMatchObject([
			{ outcome: 'published' },
			{ outcome: 'unknown', status: 'rejected' },
		]);
	});
});

describe('a delivery', () => {
	const MEGABYTES = 1024 * 1024;
	let flow: TriggerFlow;
	let timed: TriggerFlow;
	/** Deliveries that should have started an execution. */
	let executions = 0;
	let slowest = 0;
	beforeAll(async () => {
		flow = await TriggerFlow.active(setup, credential);
		const signatureRecipe = 'timestampBody';
		timed = await TriggerFlow.active(setup, await setup.credential('timed', { signatureRecipe }));
	});
	afterAll(() =>
		process.stdout.write(`\nThe slowest response to a single delivery took ${slowest} ms.\n`),
	);

	/** The headers that the emulator would send. */
	async function signed(text: string, options: object = {}): Promise<Record<string, string>> {
		const nowhere = `${setup.emulator.url}/nowhere`;
		return (await setup.emulator.deliver(text, { url: nowhere, ...options })).headers;
	}

	async function deliver(...request: Parameters<typeof send>): Promise<Reply> {
		const reply = await send(...request);
		slowest = Math.max(slowest, reply.durationMs);
		return reply;
	}

	const fresh = () => JSON.stringify(event());
	const json = { 'content-type': 'application/json' };
	const bodyOf = (reply: Reply) => JSON.parse(reply.body) as unknown;

	const accepted: Array<[title: string, request: () => Promise<Reply>]> = [
		[
			'with a valid signature',
			async () => {
				const text = fresh();
				return await deliver(flow.url, await signed(text), text);
			},
		],
		[
			'as plain text',
			async () => {
				const text = fresh();
				return await deliver(
					flow.url,
					{ ...(await signed(text)), 'Content-Type': 'text/plain' },
					text,
				);
			},
		],
		[
			'with a content type that n8n does not parse',
			async () => {
				const text = fresh();
				return await deliver(
					flow.url,
					{ ...(await signed(text)), 'Content-Type': 'application/octet-stream' },
					text,
				);
			},
		],
		[
			'without a content type',
			async () => {
				const text = fresh();
				const { 'Content-Type': type, ...headers } = await signed(text);
				expect(type).toBe('application/json');
				return await deliver(flow.url, headers, Buffer.from(text));
			},
		],
		[
			'compressed with gzip',
			async () => {
				const text = fresh();
				return await deliver(
					flow.url,
					{ ...(await signed(text)), 'Content-Encoding': 'gzip' },
					gzipSync(text),
				);
			},
		],
		[
			'of almost 1 MB',
			async () => {
				const text = JSON.stringify({ ...event(), filler: 'x'.repeat(MEGABYTES - 1_000) });
				return await deliver(flow.url, await signed(text), text);
			},
		],
	];

	it.each(accepted)('%s gets the status 200 and starts one execution', async (_, request) => {
		const reply = await request();
		expect([reply.status, bodyOf(reply)]).toEqual([
			200,
			{ ok: true, result: 'accepted', events: 1 },
		]);
		expect(await flow.succeeded(++executions)).toBe(executions);
	});

	it('that is a duplicate gets the status 200 and starts nothing', async () => {
		const text = fresh();
		const headers = await signed(text);
		await deliver(flow.url, headers, text);
		expect(await flow.succeeded(++executions)).toBe(executions);
		const again = await deliver(flow.url, headers, text);
		expect([again.status, bodyOf(again)]).toEqual([200, { ok: true, result: 'duplicate' }]);
	});

	const form = () => {
		const data = new FormData();
		data.set('payload', fresh());
		return data;
	};
	const refused: Array<
		[title: string, status: number, reason: string | undefined, request: () => Promise<Reply>]
	> = [
		[
			'that is forged',
			401,
			'wrong-signature',
			async () => {
				const text = fresh();
				return await deliver(flow.url, await signed(text, { secret: 'guessed' }), text);
			},
		],
		[
			'without a signature',
			401,
			'missing-signature',
			async () => await deliver(flow.url, json, fresh()),
		],
		[
			'with an unreadable signature',
			401,
			'unreadable-signature',
			async () => await deliver(flow.url, { ...json, 'X-Webhook-Signature': 'yes' }, fresh()),
		],
		[
			'with an expired timestamp',
			401,
			'stale-timestamp',
			async () => {
				const text = fresh();
				const timestamp = Date.now() - 301_000;
				return await deliver(
					timed.url,
					await signed(text, { recipe: 'timestampBody', timestamp }),
					text,
				);
			},
		],
		[
			'with a timestamp in the future',
			401,
			'stale-timestamp',
			async () => {
				const text = fresh();
				const timestamp = Date.now() + 310_000;
				return await deliver(
					timed.url,
					await signed(text, { recipe: 'timestampBody', timestamp }),
					text,
				);
			},
		],
		[
			'signed with another recipe',
			401,
			'missing-timestamp',
			async () => {
				const text = fresh();
				return await deliver(timed.url, await signed(text), text);
			},
		],
		[
			'that is incomplete, as plain text',
			401,
			'wrong-signature',
			async () => {
				const text = fresh();
				return await deliver(
					flow.url,
					{ ...(await signed(text)), 'Content-Type': 'text/plain' },
					text.slice(0, -9),
				);
			},
		],
		[
			'that is incomplete, as JSON, which n8n itself refuses',
			422,
			undefined,
			async () => {
				const text = fresh();
				return await deliver(flow.url, await signed(text), text.slice(0, -9));
			},
		],
		['as a form with files', 401, 'no-body', async () => await deliver(flow.url, {}, form())],
		[
			'without a body',
			401,
			'wrong-signature',
			async () => await deliver(flow.url, await signed(fresh())),
		],
		[
			'without a body and headers',
			401,
			'missing-signature',
			async () => await deliver(flow.url, {}),
		],
		[
			'that is forged, of 15 MB',
			413,
			'too-large',
			async () =>
				await deliver(
					flow.url,
					await signed(fresh()),
					JSON.stringify({ filler: 'x'.repeat(15 * MEGABYTES) }),
				),
		],
		[
			'that is forged, compressed with gzip',
			401,
			'wrong-signature',
			async () =>
				await deliver(
					flow.url,
					{ ...(await signed(fresh())), 'Content-Encoding': 'gzip' },
					gzipSync(fresh()),
				),
		],
		[
			'that is signed and empty',
			400,
			'not-json',
			async () => await deliver(flow.url, await signed(''), ''),
		],
		[
			'that is signed and not JSON',
			400,
			'not-json',
			async () => {
				const headers = await signed('status=published');
				return await deliver(
					flow.url,
					{ ...headers, 'Content-Type': 'text/plain' },
					'status=published',
				);
			},
		],
		[
			'that is signed and not a JSON object',
			400,
			'not-json',
			async () => await deliver(flow.url, await signed('42'), '42'),
		],
		[
			'with the method GET',
			404,
			undefined,
			async () => await deliver(flow.url, {}, undefined, 'GET'),
		],
		[
			'with the method PUT',
			404,
			undefined,
			async () => await deliver(flow.url, json, fresh(), 'PUT'),
		],
	];

	it.each(refused)(
		'%s gets the status %i (%s) and starts nothing',
		async (_, status, reason, request) => {
			const before = [await flow.count(), await timed.count()];
			const reply = await request();
			expect(reply.status).toBe(status);
			if (reason !== undefined) {
				const expected = { ok: false, error: status === 400 ? reason : 'refused' };
				expect(bodyOf(reply)).toMatchObject(expected);
				expect(setup.n8n.log()).toContain(`refused (${reason})`);
			}
			expect([await flow.count(), await timed.count()]).toEqual(before);
		},
	);

	it('that is refused adds one line to the log, without its content', async () => {
		const own = await TriggerFlow.active(setup, credential);
		const text = JSON.stringify(event('published', { note: 'body-of-the-refused' }));
		const headers = await signed(text, { secret: 'guessed' });
		for (let count = 0; count < 5; count++) await deliver(own.url, headers, text);
		const lines = setup.n8n
			.log()
			.split('\n')
			.filter((line) => line.includes(own.id) && line.includes('refused'));
		expect(lines).toEqual([
			expect.stringMatching(
				/Webhook delivery to 'Status' of workflow \w+ refused \(wrong-signature\): The signature does not match\./,
			),
		]);
		expect(setup.n8n.log()).not.toContain('body-of-the-refused');
		expect(setup.n8n.log()).not.toContain(headers['X-Webhook-Signature']);
	});
});

describe('a hostile delivery', () => {
	const SIZE = 16 * 1024 * 1024 - 100;
	const filled = (open: string, piece: string, close: string, size = SIZE) =>
		open + piece.repeat(Math.floor((size - open.length - close.length) / piece.length)) + close;
	const bodies: Array<[title: string, body: string]> = [
		['16 MB of numbers', filled('{"a":[', '1,', '1]}')],
		['16 MB of large numbers', filled('{"a":[', '12345678901234567890,', '1]}')],
		['16 MB of characters that a form escapes', filled('{"a":"', '~', '"}')],
		['16 MB of empty events', filled('[', '{},', '{}]')],
		['2,000 levels', '{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000)],
		['1 MB of characters that a form escapes', filled('{"a":"', '~', '"}', 1024 * 1024)],
		['1,001 events', JSON.stringify(Array.from({ length: 1_001 }, () => event('failed')))],
	];

	const LIMIT_MS = 3_000;

	/**
	 * The slowest response to other requests during an attack, in milliseconds. A slow attack is
	 * repeated once, because the machine may be busy.
	 */
	async function slowestDuring(attack: () => Promise<unknown>): Promise<number> {
		const slowest = await slowestOnce(attack);
		return slowest < LIMIT_MS ? slowest : await slowestOnce(attack);
	}

	async function slowestOnce(attack: () => Promise<unknown>): Promise<number> {
		let isOver = false;
		let slowest = 0;
		const others = (async () => {
			while (!isOver) {
				const { durationMs } = await send(`${setup.n8n.url}/healthz`, {}, undefined, 'GET');
				slowest = Math.max(slowest, durationMs);
				await setTimeout(10);
			}
		})();
		await attack();
		isOver = true;
		await others;
		return slowest;
	}

	const gzip = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' };
	const attack = (url: string, body: string, signature: string) => {
		const headers = { ...gzip, 'X-Webhook-Signature': signature };
		const zipped = gzipSync(body);
		return async () => await send(url, headers, zipped);
	};
	const forged = [64, 128, 40, 32].map((digits) => '0'.repeat(digits)).join();

	it.each(bodies)('of %s, forged, does not delay other requests', async (_, body) => {
		for (const signatureRecipe of ['body', 'sortedFields']) {
			const own = await setup.credential('attacked', { signatureRecipe });
			const flow = await TriggerFlow.active(setup, own);
			let status = 0;
			const sent = attack(flow.url, body, forged);
			const slowest = await slowestDuring(async () => ({ status } = await sent()));
			expect([401, 413]).toContain(status);
			expect(slowest).toBeLessThan(LIMIT_MS);
			expect(await flow.count()).toBe(0);
		}
	});

	it.each(bodies)('of %s, signed, does not delay other requests', async (_, body) => {
		const flow = await TriggerFlow.active(setup, credential);
		const signature = createHmac('sha256', setup.emulator.appSecret).update(body).digest('hex');
		let status = 0;
		const sent = attack(flow.url, body, signature);
		const slowest = await slowestDuring(async () => ({ status } = await sent()));
		expect([200, 400, 413]).toContain(status);
		expect(slowest).toBeLessThan(LIMIT_MS);
	});

	it.each(bodies)(
		'of %s, while the editor listens, does not delay other requests',
		async (_, body) => {
			const flow = await TriggerFlow.create(setup, credential);
			let status = 0;
			const sent = attack(flow.testUrl, body, forged);
			const slowest = await slowestDuring(async () => {
				await flow.listen();
				({ status } = await sent());
			});
			expect([401, 413]).toContain(status);
			expect(slowest).toBeLessThan(LIMIT_MS);
		},
	);
});

describe('a changed secret', () => {
	it('replaces the old one immediately', async () => {
		const own = await setup.credential('rotated');
		const flow = await TriggerFlow.active(setup, own);
		const deliver = async (secret: string) =>
			(await setup.emulator.deliver(event(), { url: flow.url, secret })).attempts[0]?.status;
		expect(await deliver(setup.emulator.appSecret)).toBe(200);
		await setup.rest.updateCredential({
			...own,
			data: { ...own.data, appSecret: 'the-new-secret' },
		});
		expect(await deliver('the-new-secret')).toBe(200);
		expect(await deliver(setup.emulator.appSecret)).toBe(401);
		expect(await flow.succeeded(2)).toBe(2);
		expect(await flow.count()).toBe(2);
	});
});

describe('the test URL', () => {
	it('shows an accepted delivery in the editor', async () => {
		const flow = await TriggerFlow.create(setup, credential);
		await flow.listen();
		await setup.emulator.deliver(event('failed'), { url: flow.testUrl });
		expect((await flow.newest()).status).toBe('success');
		expect(await flow.items()).toMatchObject([{ outcome: 'failed' }]);
	});

	it('names the field that filters an event out', async () => {
		const flow = await TriggerFlow.create(setup, credential, { events: ['published'] });
		await flow.listen();
		const { attempts } = await setup.emulator.deliver(event('processing'), { url: flow.testUrl });
		expect(attempts).toMatchObject([{ status: 200 }]);
		const execution = await flow.newest();
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toBe(
			"The event was filtered out: 'Events' does not include the status 'processing'",
		);
	});

	it('names the preset of a delivery signed by another one', async () => {
		const flow = await TriggerFlow.create(setup, credential);
		await flow.listen();
		const { attempts } = await setup.emulator.deliver(event(), {
			url: flow.testUrl,
			recipe: 'timestampBody',
		});
		expect(attempts).toMatchObject([{ status: 401 }]);
		const execution = await flow.newest();
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toBe(
			"This delivery is signed with 'Timestamp and Body'. In the credential, turn on 'Show Advanced Settings', and choose it under 'Webhook Signature Method'.",
		);
	});

	it('names a missing signature', async () => {
		const flow = await TriggerFlow.create(setup, credential);
		await flow.listen();
		const reply = await send(flow.testUrl, { 'content-type': 'application/json' }, '{}');
		expect(reply.status).toBe(401);
		expect((await flow.newest()).error?.message).toMatch(
			/^The header X-Webhook-Signature is missing\./,
		);
	});
});

describe('activation', () => {
	it('is refused with the reason for an invalid credential or parameter', async () => {
		const invalid = [
			[{ appSecret: ' ' }, {}, /'App Secret' is empty/],
			[{ signatureRecipe: 'custom', signedContent: '{timestamp}' }, {}, /not cover the body/],
			[{}, { events: ['queued'], onlyFinalStatuses: true }, /'Only Final Statuses' excludes/],
		] as const;
		// In parallel, because n8n retries each activation for 15 seconds.
		await Promise.all(
			invalid.map(async ([data, parameters, reason]) => {
				const own = await setup.credential('invalid', data);
				const flow = await TriggerFlow.create(setup, own, parameters);
				expect(await setup.rest.failToActivate(flow)).toMatch(reason);
				expect((await send(flow.url, {}, '{}')).status).toBe(404);
			}),
		);
	});
});

test('n8n contains no secret after these tests', async () => {
	expect(await setup.sweep()).toEqual([]);
});
