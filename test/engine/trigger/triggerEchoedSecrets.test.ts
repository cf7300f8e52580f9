import { startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';

let platform: TriggerPlatform;
afterEach(async () => await platform.stop());

test('The trigger redacts the secrets in a raw payload in any encoding', async () => {
	platform = await startTrigger({ options: { includeRawPayload: true } as never });
	const secret = 'k3Y/fOr+hOoKs=0123456789&more';
	platform.credential.accessToken = secret;
	const php = JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/');
	const encodings = [
		php,
		php.replace('&', '\\u0026'),
		Buffer.from(`Bearer ${secret}`).toString('base64').replaceAll('/', '\\/'),
		Buffer.from(secret).toString('hex').toUpperCase(),
		encodeURIComponent(encodeURIComponent(secret)),
		secret.replace('&', '&amp;'),
	];
	const raw = `{"status":"published","seen":[${encodings.map((encoded) => `"${encoded}"`).join(', ')}]}`;
	expect(await platform.deliver(raw)).toMatchObject({ status: 200 });
	const [item] = platform.items();
	expect(item!.raw_payload).toMatch(
		/^\{"status":"published","seen":\[("[\w+=]{0,12}\[redacted\]\w?=?"(, )?){6}\]\}$/,
	);
	for (const encoded of encodings)
		expect(JSON.stringify(item)).not.toContain(encoded.slice(10, -2));
});
