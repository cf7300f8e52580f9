import {
	recipes,
	verifyWebhook,
	WebhookRejected,
	type SignatureRecipe,
} from '../../../nodes/SocialOpenPlatform/webhook/signature';
import {
	verifyDelivery,
	type ReceivedDelivery,
} from '../../../nodes/SocialOpenPlatform/webhook/signature/verify';
import {
	recipeOf as emulatedRecipe,
	RECIPES,
	type WebhookRecipe,
} from '../../emulator/webhook/recipe';
import { signedHeaders } from '../../emulator/webhook/sign';
import { all, body, now, recipeOf, secret, uncovered } from './webhookVectors';

type Delivery = Pick<ReceivedDelivery, 'headers' | 'rawBody'>;

const at = (ms: number) => new Date(ms);

/** Returns a delivery that the emulator has signed with its own implementation. */
function signed(
	recipe: Partial<WebhookRecipe> & { preset?: keyof typeof RECIPES },
	text = body,
	time = String(Math.floor(now / 1000)),
): Delivery {
	const input = { body: text, secret, timestamp: time, id: 'msg_1', nonce: 'n0nce' };
	return { headers: signedHeaders(emulatedRecipe(recipe), input), rawBody: Buffer.from(text) };
}

const received = (
	delivery: Delivery,
	recipe: SignatureRecipe = recipes.body,
	more: Partial<ReceivedDelivery> = {},
): ReceivedDelivery => ({ appSecret: secret, recipe, now: at(now), ...delivery, ...more });

const vector = (id: string) => ({
	headers: all.find((one) => one.id === id)!.headers,
	rawBody: Buffer.from(body),
});

function reasonOf(input: ReceivedDelivery): string {
	try {
		verifyDelivery(input);
		return 'accepted';
	} catch (error) {
		if (!(error instanceof WebhookRejected)) throw error;
		expect(error.message).toMatch(/^['A-Z].*\.$/);
		expect(error.message).not.toContain(secret);
		return error.reason;
	}
}

describe('Webhook test vectors', () => {
	it.each(Object.entries(recipeOf))('include %s, which its recipe accepts', (id, recipe) => {
		expect(verifyWebhook(received(vector(id), recipe))).toMatchObject({
			action_sn: 'SA20231114000001',
			social_post_id: 10086,
			status: 'published',
			outcome: 'published',
		});
	});

	it('have a recipe or do not sign the body', () => {
		expect(all.map(({ id }) => id).sort()).toEqual(
			[...Object.keys(recipeOf), ...Object.keys(uncovered)].sort(),
		);
	});

	it.each(Object.entries(uncovered))(
		'include %s, which is refused because it does not sign the body',
		(id, recipe) => {
			expect(reasonOf(received(vector(id), recipe))).toBe('unusable-recipe');
			for (const other of Object.values(recipeOf)) {
				expect(reasonOf(received(vector(id), other))).not.toBe('accepted');
			}
		},
	);
});

describe('verifyDelivery: accepted deliveries', () => {
	const forms = ['hex', 'HEX', 'base64', 'base64url', 'prefixed', 'v1={hex}'];

	it.each(forms)('accepts the encoding %s', (text) => {
		for (const preset of ['body', 'timestampBody', 'bodySha512', 'sortedFields'] as const) {
			expect(reasonOf(received(signed({ preset, text }), recipes[preset]))).toBe('accepted');
		}
	});

	it('prefers the timestamp in the signature header to another header', () => {
		const { headers, rawBody } = vector('stripe-t-v1-hex');
		const both = { rawBody, headers: { ...headers, 'X-Webhook-Timestamp': String(now) } };
		expect(reasonOf(received(both, recipes.timestampBody))).toBe('accepted');
	});

	const right = signed({}).headers['X-Webhook-Signature'] as string;
	const wrong = right.replace(/^./, (c) => (c === 'a' ? 'b' : 'a'));

	it.each([
		[[wrong, right], 'accepted'],
		[`${wrong}, ${right}`, 'accepted'],
		[`sha256=${wrong},sha256=${right}`, 'accepted'],
		[`sha1=${'0'.repeat(40)},sha256=${right}`, 'accepted'],
		[`v1=${right},v0=abc`, 'accepted'],
		[`${wrong}, ${wrong}`, 'wrong-signature'],
		[`sha1=${right}`, 'unreadable-signature'],
		[`v0=${right}`, 'unreadable-signature'],
		[`sha1=abc,${right}x`, 'unreadable-signature'],
		[`sha256 ${right}`, 'unreadable-signature'],
		[`${right},`, 'unreadable-signature'],
	])('needs one valid signature beside those of other digests: %s is %s', (text, reason) => {
		const headers = { 'x-webhook-signature': text };
		expect(reasonOf(received({ headers, rawBody: Buffer.from(body) }))).toBe(reason);
	});

	it.each([
		['sha-256', recipes.body],
		['hmac-sha-256', recipes.body],
		['HMAC-SHA256', recipes.body],
		['hmac-sha1', { ...recipes.body, digest: 'sha1' as const }],
	])('accepts the label %s before a digest', (label, recipe) => {
		const { digest } = recipe;
		for (const text of [`${label}={hex}`, `${label}={base64}`, `t=1,${label}={base64url}`]) {
			expect(reasonOf(received(signed({ digest, text }), recipe))).toBe('accepted');
		}
		const other = { ...recipe, digest: 'md5' as const };
		expect(reasonOf(received(signed({ digest, text: `${label}={hex}` }), other))).toBe(
			'unreadable-signature',
		);
	});

	it('refuses a label that names no digest', () => {
		for (const label of ['hmac-', 'hmac-md5', 'x-sha256']) {
			const delivery = signed({ text: `${label}={hex}` });
			expect(reasonOf(received(delivery))).toBe('unreadable-signature');
		}
	});

	it('accepts 64-bit IDs and lists in the signed fields', () => {
		const text =
			'{"data":{"social_post_id":9007199254740993},"y":["a",["b"]],"z":[true,false,null,1.5]}';
		const delivery = signed({ preset: 'sortedFields' }, text);
		const event = verifyWebhook(received(delivery, recipes.sortedFields));
		expect(event.social_post_id).toBe('9007199254740993');
		expect(event.payload).toMatchObject({ y: ['a', ['b']] });
	});

	it('accepts a secret with the prefix of Standard Webhooks', () => {
		const prefixed = `whsec_${secret}`;
		const delivery = signed({ preset: 'standardWebhooks' });
		const recipe = recipes.standardWebhooks;
		expect(reasonOf(received(delivery, recipe, { appSecret: prefixed }))).toBe('accepted');
	});
});

describe('verifyDelivery: refused deliveries', () => {
	const plain = signed({});
	const timed = signed({ preset: 'timestampBody' });
	const standard = signed({ preset: 'standardWebhooks' });
	const without = (delivery: typeof plain, name: string) => ({
		...delivery,
		headers: { ...delivery.headers, [name]: undefined },
	});
	const having = (delivery: typeof plain, name: string, text: string) => ({
		...delivery,
		headers: { ...delivery.headers, [name]: text },
	});

	it.each([
		['without a signature', received(without(plain, 'X-Webhook-Signature')), 'missing-signature'],
		[
			'with a signature of another digest',
			received(plain, recipes.bodySha512),
			'unreadable-signature',
		],
		['signed with another recipe', received(plain, recipes.timestampBody), 'missing-timestamp'],
		[
			'without its timestamp',
			received(without(timed, 'X-Webhook-Timestamp'), recipes.timestampBody),
			'missing-timestamp',
		],
		[
			'with an unreadable timestamp',
			received(having(timed, 'X-Webhook-Timestamp', 'now'), recipes.timestampBody),
			'unreadable-timestamp',
		],
		[
			'without its ID',
			received(without(standard, 'X-Webhook-Id'), recipes.standardWebhooks),
			'missing-id',
		],
		[
			'without its nonce',
			received(plain, { ...recipes.body, template: '{nonce}{body}' }),
			'missing-nonce',
		],
		[
			'with a list instead of fields',
			received(
				{ ...plain, rawBody: Buffer.from('[1]') },
				{ ...recipes.body, template: '{fields}' },
			),
			'no-fields',
		],
		[
			'when the secret is empty',
			received(plain, recipes.body, { appSecret: '' }),
			'unusable-recipe',
		],
		[
			'when the secret is only the prefix of Standard Webhooks',
			received(standard, recipes.standardWebhooks, { appSecret: 'whsec_' }),
			'unusable-recipe',
		],
		[
			'when the recipe does not sign the body',
			received(plain, { ...recipes.body, template: '{timestamp}' }),
			'unusable-recipe',
		],
		[
			'when the recipe does not use the secret',
			received(plain, { ...recipes.body, keyed: false }),
			'unusable-recipe',
		],
		[
			'when the recipe has an unknown placeholder',
			received(plain, { ...recipes.body, template: '{body}{path}' }),
			'unusable-recipe',
		],
	])('refuses a delivery %s', (_, input, reason) => {
		expect(reasonOf(input)).toBe(reason);
	});

	it('does not check a timestamp that is not signed', () => {
		expect(reasonOf(received(plain, recipes.body, { now: at(now * 2) }))).toBe('accepted');
	});

	it.each([
		[2, 'wrong-signature'],
		[3, 'no-fields'],
	])('refuses names of more than 1,000,000 characters: with %i in the last, %s', (size, reason) => {
		const list = `"${'n'.repeat(99_995)}":[1,1,1,1,1,1,1,1,1,1]`;
		const rawBody = Buffer.from(`{${list},"${'m'.repeat(size)}":1}`);
		const recipe = { ...recipes.body, template: '{fields}' };
		expect(reasonOf(received({ ...plain, rawBody }, recipe))).toBe(reason);
	});
});

describe('verifyDelivery: signed deliveries without events', () => {
	it.each(['', '{"a":', '42', 'null', '[{},2]'])(
		'refuses %j, which is not a JSON object or a list of events',
		(text) => {
			expect(reasonOf(received(signed({}, text)))).toBe('not-json');
		},
	);

	it('returns no events for an empty list, which verifyWebhook refuses', () => {
		expect(verifyDelivery(received(signed({}, '[]')))).toEqual([]);
		expect(() => verifyWebhook(received(signed({}, '[]')))).toThrow(WebhookRejected);
	});
});

describe('The generated ID of an event', () => {
	const idOf = (delivery: Delivery, recipe: SignatureRecipe, more?: Partial<ReceivedDelivery>) =>
		verifyWebhook(received(delivery, recipe, more)).event_id;

	it('is the same when the delivery is signed again at another time', () => {
		const one = signed({ preset: 'timestampBody' }, '{"a":1}');
		const two = signed({ preset: 'timestampBody' }, '{"a":1}', '1700000060');
		expect(idOf(one, recipes.timestampBody)).toMatch(/^content:/);
		expect(idOf(two, recipes.timestampBody)).toBe(idOf(one, recipes.timestampBody));
	});

	it('differs for another body', () => {
		const [one, two] = ['{"a":1}', '{"a":2}'].map((text) => signed({}, text));
		expect(idOf(one!, recipes.body)).not.toBe(idOf(two!, recipes.body));
	});

	it('ignores a signed ID whose characters could be moved to the nonce', () => {
		const template = '{id}{nonce}{body}';
		const { headers, rawBody } = signed({ template }, '{"a":1}');
		const moved = {
			rawBody,
			headers: { ...headers, 'X-Webhook-Id': 'msg_1n', 'X-Webhook-Nonce': '0nce' },
		};
		const recipe = { ...recipes.body, template };
		expect(idOf(moved, recipe)).toBe(idOf({ headers, rawBody }, recipe));
	});
});
