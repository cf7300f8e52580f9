import { event, useTrigger } from '../harness/triggerPlatform';

const platform = useTrigger();

const ok = (body: object) => ({ status: 200, body: { ok: true, ...body } });
const tryAgainLater = { status: 503, body: { ok: false, error: 'try-again-later' } };

describe('The response to a verified delivery', () => {
	test('has the status 200 and the result accepted, duplicate or ignored', async () => {
		const payload = event();
		expect(await platform.deliver(payload)).toEqual(ok({ result: 'accepted', events: 1 }));
		expect(await platform.deliver(payload)).toEqual(ok({ result: 'duplicate' }));
		platform.host.node.parameters.events = ['failed'];
		expect(await platform.deliver(event())).toEqual(ok({ result: 'ignored' }));
	});

	test('has the status 400 when the body is not JSON', async () => {
		const headers = { 'Content-Type': 'text/plain' };
		for (const body of ['status=published', '"published"', 'null', '[1]']) {
			expect(await platform.deliver(body, { headers })).toEqual({
				status: 400,
				body: {
					ok: false,
					error: 'not-json',
					message:
						'The body is signed, but is not a JSON object or a list of at most 1,000 JSON objects.',
				},
			});
		}
		expect(platform.host.executions).toEqual([]);
	});

	test('is sent after the execution was stored', async () => {
		let isStored = false;
		platform.host.storing = async () => {
			await new Promise((resolve) => setTimeout(resolve, 30));
			expect(platform.host.responses).toEqual([]);
			isStored = true;
		};
		expect(await platform.deliver()).toMatchObject({ status: 200 });
		expect(isStored).toBe(true);
	});
});

describe('A delivery that is refused with 401', () => {
	const refused = { status: 401, body: { ok: false, error: 'refused' } };

	test('is logged with the reason that the signature belongs to another secret or body', async () => {
		expect(await platform.deliver(event(), { secret: 'another' })).toEqual(refused);
		expect(platform.warnings()).toEqual([
			expect.stringMatching(/refused \(wrong-signature\): The signature does not match\.$/),
		]);
		await platform.deliver();
		const { headers } = platform.emulator.deliveries.at(-1)!;
		expect(await platform.deliver(event({ status: 'failed' }), { headers })).toEqual(refused);
		expect(platform.host.executions).toHaveLength(1);
	});

	test('is logged with the reason that the signature does not cover all fields', async () => {
		platform.credential.signatureRecipe = 'sortedFields';
		const options = { recipe: 'sortedFields' as const };
		const own = { action_sn: 'SA1', status: 'failed', data: { message: 'x' } };
		expect(await platform.deliver(own, options)).toMatchObject({ status: 200 });
		const { headers } = platform.emulator.deliveries.at(-1)!;
		for (const changed of [
			{ ...own, app_secret: 'added' },
			{ ...own, sign_ver: 'added' },
			{ ...own, app_secret: null },
			{ action_sn: 'SA1', status: 'failed', 'data[message]': 'x' },
		]) {
			expect(await platform.deliver(changed, { ...options, headers })).toEqual(refused);
		}
		expect(platform.host.executions).toHaveLength(1);
		expect(platform.warnings()).toEqual([
			expect.stringMatching(/refused \(no-fields\): .*the signature does not cover/),
		]);
	});
});

describe('A delivery that the trigger cannot process', () => {
	const refuses = async () => {
		expect(await platform.deliver()).toEqual(tryAgainLater);
		expect(platform.host.executions).toEqual([]);
	};

	test('gets the status 503 when the node has no credential', async () => {
		platform.host.node.credentials = {};
		await refuses();
	});

	test('gets the status 503 when a parameter is invalid', async () => {
		platform.host.node.parameters.events = [];
		await refuses();
		platform.host.node.parameters.events = '={{ $json.missing.deeper }}';
		await refuses();
	});
});
