import { createHmac } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Credential } from '../n8n/rest';
import { Stage } from '../n8n/stage';
import { send, TriggerFlow, type Reply } from './triggerFlow';
import { TRIGGER_TYPE } from '../n8n/workflows';

let stage: Stage;
let credential: Credential;
beforeAll(async () => {
	stage = await Stage.set();
	credential = await stage.credential('platform');
});
afterAll(async () => await stage?.strike());

let number = 0;

/** A status as the platform tells it; no two are alike. */
const event = (status = 'published', more: Record<string, unknown> = {}) => ({
	event: `post.${status}`,
	id: `evt_${++number}`,
	data: { action_sn: `SA${number}`, social_post_id: number, status, platform: 'PHOTO', ...more },
});

describe('a status that the platform reports', () => {
	const presets = [
		['body', 'Body'],
		['timestampBody', 'Timestamp and Body'],
		['standardWebhooks', 'Standard Webhooks'],
		['bodySha512', 'Body SHA-512'],
		['sortedFields', 'Sorted Fields'],
	] as const;

	it.each(presets)('starts the workflow when it is signed by the recipe %s', async (recipe) => {
		const own = await stage.credential(recipe, { signatureRecipe: recipe });
		const flow = await TriggerFlow.active(stage, own);
		const { attempts } = await stage.emulator.deliver(event('failed', { message: 'Too dark' }), {
			url: flow.url,
			recipe,
		});
		expect(attempts).toMatchObject([{ status: 200 }]);
		expect(await flow.items()).toMatchObject([
			{ status: 'failed', outcome: 'failed', final: true, message: 'Too dark', platform: 'PHOTO' },
		]);
	});

	it('arrives with all its fields, and 64-bit ids keep their digits', async () => {
		const flow = await TriggerFlow.active(stage, credential);
		const raw =
			'{"event":"post.published","id":"evt_all","data":{"action_sn":"SA_all","social_post_id":9007199254740993,' +
			'"status":"published","platform":"PHOTO","social_account_id":"acc_1","url":"https://example.com/p/1"}}';
		await stage.emulator.deliver(raw, { url: flow.url });
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

	it('is described to the editor field by field', async () => {
		const path = `/schemas/${TRIGGER_TYPE}/2.0.0.json`;
		const schema = await stage.rest.call<{ properties: object }>('GET', path);
		expect(Object.keys(schema.properties)).toEqual([
			...['event_id', 'action_sn', 'social_post_id', 'status', 'platform', 'social_account_id'],
			...['outcome', 'final', 'received_at', 'message', 'payload'],
		]);
	});

	it('starts only the workflows that asked for it', async () => {
		const failed = await TriggerFlow.active(stage, credential, { events: ['failed'] });
		const final = await TriggerFlow.active(stage, credential, { onlyFinalStatuses: true });
		const ours = await TriggerFlow.active(stage, credential, { socialAccountIds: ['acc_1'] });
		for (const flow of [failed, final, ours]) {
			for (const status of ['processing', 'published', 'failed']) {
				const account = status === 'failed' ? 'acc_1' : 'acc_2';
				const one = event(status, { social_account_id: account });
				const { attempts } = await stage.emulator.deliver(one, { url: flow.url });
				expect(attempts).toMatchObject([{ status: 200 }]);
			}
		}
		const flows = [failed, final, ours];
		const wanted = [1, 2, 1];
		for (const [index, flow] of flows.entries()) await flow.succeeded(wanted[index]!);
		expect(await Promise.all(flows.map(async (flow) => await flow.count()))).toEqual(wanted);
	});

	it('gives an item for each event of a list', async () => {
		const flow = await TriggerFlow.active(stage, credential);
		await stage.emulator.deliver([event('published'), event('rejected')], { url: flow.url });
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
	/** Deliveries that were to start an execution. */
	let taken = 0;
	let slowest = 0;
	beforeAll(async () => {
		flow = await TriggerFlow.active(stage, credential);
		const signatureRecipe = 'timestampBody';
		timed = await TriggerFlow.active(stage, await stage.credential('timed', { signatureRecipe }));
	});
	afterAll(() =>
		process.stdout.write(`\nThe slowest answer to a single delivery took ${slowest} ms.\n`),
	);

	/** What the emulator would send, without sending it. */
	async function signed(text: string, options: object = {}): Promise<Record<string, string>> {
		const nowhere = `${stage.emulator.url}/nowhere`;
		return (await stage.emulator.deliver(text, { url: nowhere, ...options })).headers;
	}

	async function answer(...request: Parameters<typeof send>): Promise<Reply> {
		const reply = await send(...request);
		slowest = Math.max(slowest, reply.durationMs);
		return reply;
	}

	const fresh = () => JSON.stringify(event());
	const json = { 'content-type': 'application/json' };
	const says = (reply: Reply) => JSON.parse(reply.body) as unknown;

	const accepted: Array<[title: string, request: () => Promise<Reply>]> = [
		[
			'as it should be',
			async () => {
				const text = fresh();
				return await answer(flow.url, await signed(text), text);
			},
		],
		[
			'as plain text',
			async () => {
				const text = fresh();
				return await answer(
					flow.url,
					{ ...(await signed(text)), 'Content-Type': 'text/plain' },
					text,
				);
			},
		],
		[
			'of a type that n8n does not read by itself',
			async () => {
				const text = fresh();
				return await answer(
					flow.url,
					{ ...(await signed(text)), 'Content-Type': 'application/octet-stream' },
					text,
				);
			},
		],
		[
			'without a type',
			async () => {
				const text = fresh();
				const { 'Content-Type': type, ...headers } = await signed(text);
				expect(type).toBe('application/json');
				return await answer(flow.url, headers, Buffer.from(text));
			},
		],
		[
			'packed with gzip',
			async () => {
				const text = fresh();
				return await answer(
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
				return await answer(flow.url, await signed(text), text);
			},
		],
	];

	it.each(accepted)('%s is accepted with 200, and starts one execution', async (_, request) => {
		const reply = await request();
		expect([reply.status, says(reply)]).toEqual([200, { ok: true, result: 'accepted', events: 1 }]);
		expect(await flow.succeeded(++taken)).toBe(taken);
	});

	it('that comes again is answered 200, and starts nothing', async () => {
		const text = fresh();
		const headers = await signed(text);
		await answer(flow.url, headers, text);
		expect(await flow.succeeded(++taken)).toBe(taken);
		const again = await answer(flow.url, headers, text);
		expect([again.status, says(again)]).toEqual([200, { ok: true, result: 'duplicate' }]);
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
				return await answer(flow.url, await signed(text, { secret: 'guessed' }), text);
			},
		],
		[
			'without a signature',
			401,
			'missing-signature',
			async () => await answer(flow.url, json, fresh()),
		],
		[
			'with a signature that is none',
			401,
			'unreadable-signature',
			async () => await answer(flow.url, { ...json, 'X-Webhook-Signature': 'yes' }, fresh()),
		],
		[
			'that is stale',
			401,
			'stale-timestamp',
			async () => {
				const text = fresh();
				const timestamp = Date.now() - 301_000;
				return await answer(
					timed.url,
					await signed(text, { recipe: 'timestampBody', timestamp }),
					text,
				);
			},
		],
		[
			'from the future',
			401,
			'stale-timestamp',
			async () => {
				const text = fresh();
				const timestamp = Date.now() + 310_000;
				return await answer(
					timed.url,
					await signed(text, { recipe: 'timestampBody', timestamp }),
					text,
				);
			},
		],
		[
			'signed by another recipe',
			401,
			'missing-timestamp',
			async () => {
				const text = fresh();
				return await answer(timed.url, await signed(text), text);
			},
		],
		[
			'cut off, as plain text',
			401,
			'wrong-signature',
			async () => {
				const text = fresh();
				return await answer(
					flow.url,
					{ ...(await signed(text)), 'Content-Type': 'text/plain' },
					text.slice(0, -9),
				);
			},
		],
		[
			'cut off, as JSON, which n8n itself refuses',
			422,
			undefined,
			async () => {
				const text = fresh();
				return await answer(flow.url, await signed(text), text.slice(0, -9));
			},
		],
		['as a form with files', 401, 'no-body', async () => await answer(flow.url, {}, form())],
		[
			'without a body',
			401,
			'wrong-signature',
			async () => await answer(flow.url, await signed(fresh())),
		],
		['without anything', 401, 'missing-signature', async () => await answer(flow.url, {})],
		[
			'forged, of 15 MB',
			413,
			'too-large',
			async () =>
				await answer(
					flow.url,
					await signed(fresh()),
					JSON.stringify({ filler: 'x'.repeat(15 * MEGABYTES) }),
				),
		],
		[
			'forged, packed with gzip',
			401,
			'wrong-signature',
			async () =>
				await answer(
					flow.url,
					{ ...(await signed(fresh())), 'Content-Encoding': 'gzip' },
					gzipSync(fresh()),
				),
		],
		['signed but empty', 400, 'not-json', async () => await answer(flow.url, await signed(''), '')],
		[
			'signed but no JSON',
			400,
			'not-json',
			async () => {
				const headers = await signed('status=published');
				return await answer(
					flow.url,
					{ ...headers, 'Content-Type': 'text/plain' },
					'status=published',
				);
			},
		],
		[
			'signed but no JSON object',
			400,
			'not-json',
			async () => await answer(flow.url, await signed('42'), '42'),
		],
		['by GET', 404, undefined, async () => await answer(flow.url, {}, undefined, 'GET')],
		['by PUT', 404, undefined, async () => await answer(flow.url, json, fresh(), 'PUT')],
	];

	it.each(refused)(
		'%s is answered %i (%s), and starts nothing',
		async (_, status, reason, request) => {
			const before = [await flow.count(), await timed.count()];
			const reply = await request();
			expect(reply.status).toBe(status);
			if (reason !== undefined) {
				const said = { ok: false, error: status === 400 ? reason : 'refused' };
				expect(says(reply)).toMatchObject(said);
				expect(stage.n8n.log()).toContain(`refused (${reason})`);
			}
			expect([await flow.count(), await timed.count()]).toEqual(before);
		},
	);

	it('that is refused leaves one line in the log, and nothing of itself', async () => {
		const own = await TriggerFlow.active(stage, credential);
		const text = JSON.stringify(event('published', { note: 'body-of-the-refused' }));
		const headers = await signed(text, { secret: 'guessed' });
		for (let tries = 0; tries < 5; tries++) await answer(own.url, headers, text);
		const lines = stage.n8n
			.log()
			.split('\n')
			.filter((line) => line.includes(own.id) && line.includes('refused'));
		expect(lines).toEqual([
			expect.stringMatching(
				/Webhook delivery to 'Status' of workflow \w+ refused \(wrong-signature\): The signature does not match\./,
			),
		]);
		expect(stage.n8n.log()).not.toContain('body-of-the-refused');
		expect(stage.n8n.log()).not.toContain(headers['X-Webhook-Signature']);
	});
});

describe('a delivery that is made to keep n8n busy', () => {
	const SIZE = 16 * 1024 * 1024 - 100;
	const filled = (open: string, piece: string, close: string, size = SIZE) =>
		open + piece.repeat(Math.floor((size - open.length - close.length) / piece.length)) + close;
	const bodies: Array<[title: string, body: string]> = [
		['16 MB of numbers', filled('{"a":[', '1,', '1]}')],
		['16 MB of large numbers', filled('{"a":[', '12345678901234567890,', '1]}')],
		['16 MB of characters that a form escapes', filled('{"a":"', '~', '"}')],
		['16 MB of empty events', filled('[', '{},', '{}]')],
		['levels', '{"a":'.repeat(2_000) + '1' + '}'.repeat(2_000)],
		['1 MB of characters that a form escapes', filled('{"a":"', '~', '"}', 1024 * 1024)],
		['1,001 events', JSON.stringify(Array.from({ length: 1_001 }, () => event('failed')))],
	];

	/** The slowest answer to other requests while something goes on, in milliseconds. */
	async function slowestDuring(attack: () => Promise<unknown>): Promise<number> {
		let isOver = false;
		let slowest = 0;
		const others = (async () => {
			while (!isOver) {
				const { durationMs } = await send(`${stage.n8n.url}/healthz`, {}, undefined, 'GET');
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
	const attack = async (url: string, body: string, signature: string) => {
		const headers = { ...gzip, 'X-Webhook-Signature': signature };
		return await send(url, headers, gzipSync(body));
	};
	const forged = [64, 128, 40, 32].map((digits) => '0'.repeat(digits)).join();

	it.each(bodies)('as %s, forged, holds up no other request', async (_, body) => {
		for (const signatureRecipe of ['body', 'sortedFields']) {
			const own = await stage.credential('attacked', { signatureRecipe });
			const flow = await TriggerFlow.active(stage, own);
			let status = 0;
			const slowest = await slowestDuring(async () => {
				({ status } = await attack(flow.url, body, forged));
			});
			expect([401, 413]).toContain(status);
			expect(slowest).toBeLessThan(1_000);
			expect(await flow.count()).toBe(0);
		}
	});

	it.each(bodies)('as %s, signed, holds up no other request', async (_, body) => {
		const flow = await TriggerFlow.active(stage, credential);
		const signature = createHmac('sha256', stage.emulator.appSecret).update(body).digest('hex');
		let status = 0;
		const slowest = await slowestDuring(async () => {
			({ status } = await attack(flow.url, body, signature));
		});
		expect([200, 400, 413]).toContain(status);
		expect(slowest).toBeLessThan(1_000);
	});

	it.each(bodies)('as %s, while the editor listens, holds up no other request', async (_, body) => {
		const flow = await TriggerFlow.create(stage, credential);
		await flow.listen();
		let status = 0;
		const slowest = await slowestDuring(async () => {
			({ status } = await attack(flow.testUrl, body, forged));
		});
		expect([401, 413]).toContain(status);
		expect(slowest).toBeLessThan(1_000);
	});
});

describe('a secret that is changed in the credential', () => {
	it('counts at once, and the old one no longer does', async () => {
		const own = await stage.credential('rotated');
		const flow = await TriggerFlow.active(stage, own);
		const deliver = async (secret: string) =>
			(await stage.emulator.deliver(event(), { url: flow.url, secret })).attempts[0]?.status;
		expect(await deliver(stage.emulator.appSecret)).toBe(200);
		await stage.rest.updateCredential({
			...own,
			data: { ...own.data, appSecret: 'the-new-secret' },
		});
		expect(await deliver('the-new-secret')).toBe(200);
		expect(await deliver(stage.emulator.appSecret)).toBe(401);
		expect(await flow.succeeded(2)).toBe(2);
		expect(await flow.count()).toBe(2);
	});
});

describe('listening for a test event', () => {
	it('shows a delivery that is right', async () => {
		const flow = await TriggerFlow.create(stage, credential);
		await flow.listen();
		await stage.emulator.deliver(event('failed'), { url: flow.testUrl });
		expect((await flow.newest()).status).toBe('success');
		expect(await flow.items()).toMatchObject([{ outcome: 'failed' }]);
	});

	it('says of one that is signed by another recipe which one to choose', async () => {
		const flow = await TriggerFlow.create(stage, credential);
		await flow.listen();
		const { attempts } = await stage.emulator.deliver(event(), {
			url: flow.testUrl,
			recipe: 'timestampBody',
		});
		expect(attempts).toMatchObject([{ status: 401 }]);
		const execution = await flow.newest();
		expect(execution.status).toBe('error');
		expect(execution.error?.message).toBe(
			"This delivery is signed with 'Timestamp and Body'. Choose it under Signature Recipe in the credential.",
		);
	});

	it('says of one without a signature what is missing', async () => {
		const flow = await TriggerFlow.create(stage, credential);
		await flow.listen();
		const reply = await send(flow.testUrl, { 'content-type': 'application/json' }, '{}');
		expect(reply.status).toBe(401);
		expect((await flow.newest()).error?.message).toMatch(
			/^The header X-Webhook-Signature is missing\./,
		);
	});
});

describe('activating', () => {
	it('is refused with a credential or parameters that cannot work, and n8n says why', async () => {
		const unusable = [
			[{ appSecret: ' ' }, {}, /App Secret is empty/],
			[{ signatureRecipe: 'custom', signedContent: '{timestamp}' }, {}, /not cover the body/],
			[{}, { events: ['queued'], onlyFinalStatuses: true }, /'Only Final Statuses' leaves nothing/],
		] as const;
		// n8n tries for a quarter of a minute, so all at once.
		await Promise.all(
			unusable.map(async ([data, parameters, reason]) => {
				const own = await stage.credential('unusable', data);
				const flow = await TriggerFlow.create(stage, own, parameters);
				expect(await stage.rest.failToActivate(flow)).toMatch(reason);
				expect((await send(flow.url, {}, '{}')).status).toBe(404);
			}),
		);
	});
});

test('none of this leaves a secret anywhere', async () => {
	expect(await stage.sweep()).toEqual([]);
});
