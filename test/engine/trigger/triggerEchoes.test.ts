import { startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

let platform: TriggerPlatform;
afterEach(async () => await platform.stop());

test('A raw payload holds no secret, however PHP or a proxy has written it', async () => {
	platform = await startTrigger({ options: { includeRawPayload: true } as never });
	const secret = 'k3Y/fOr+hOoKs=0123456789&more';
	platform.credential.accessToken = secret;
	const php = JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/');
	const echoes = [
		php,
		php.replace('&', '\\u0026'),
		Buffer.from(`Bearer ${secret}`).toString('base64').replaceAll('/', '\\/'),
		Buffer.from(secret).toString('hex').toUpperCase(),
		encodeURIComponent(encodeURIComponent(secret)),
		secret.replace('&', '&amp;'),
	];
	const raw = `{"status":"published","seen":[${echoes.map((echo) => `"${echo}"`).join(', ')}]}`;
	expect(await platform.deliver(raw)).toMatchObject({ status: 200 });
	const [item] = platform.items();
	expect(item!.raw_payload).toMatch(
		/^\{"status":"published","seen":\[("[\w+=]{0,12}\[redacted\]\w?=?"(, )?){6}\]\}$/,
	);
	for (const echo of echoes) expect(JSON.stringify(item)).not.toContain(echo.slice(10, -2));
});
