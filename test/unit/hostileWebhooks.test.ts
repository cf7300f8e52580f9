import fc from 'fast-check';
import { explainRefusal } from '../../nodes/SocialOpenPlatform/protocol/webhook/diagnose';
import { readEvents } from '../../nodes/SocialOpenPlatform/protocol/webhook/event';
import {
	recipes,
	verifyDelivery,
	WebhookRejected,
} from '../../nodes/SocialOpenPlatform/protocol/webhook';
import {
	WebhookBody,
	type ReceivedDelivery,
} from '../../nodes/SocialOpenPlatform/protocol/webhook/delivery';
import { RECIPES, type RecipeName } from '../emulator/webhook/recipe';
import { signedHeaders } from '../emulator/webhook/sign';
import {
	deepJson,
	expectNoSecret,
	orRefusal,
	SECRET,
	swiftly,
	texts,
	words,
} from './hostileMatter';

const now = new Date(1_700_000_000_000);
const presets = Object.keys(recipes) as RecipeName[];

const received = (
	preset: RecipeName,
	rawBody: Buffer,
	headers: ReceivedDelivery['headers'],
): ReceivedDelivery => ({
	...{ rawBody, headers, now },
	appSecret: preset === 'standardWebhooks' ? Buffer.from(SECRET).toString('base64') : SECRET,
	recipe: recipes[preset],
});

/** Judges it as the trigger does, in production and while the editor listens. */
function judge(delivery: ReceivedDelivery, isExplained = true): boolean {
	const { value, refusal } = orRefusal(() => verifyDelivery(delivery), WebhookRejected);
	if (value) return true;
	expectNoSecret(refusal);
	if (isExplained) {
		expectNoSecret(swiftly(() => explainRefusal(delivery, refusal as WebhookRejected), 3_000));
	}
	return false;
}

function signed(preset: RecipeName, body: string): ReceivedDelivery {
	const { appSecret: secret } = received(preset, Buffer.alloc(0), {});
	const timestamp = String(now.getTime() / 1000);
	const headers = signedHeaders(RECIPES[preset], { body, secret, timestamp, id: 'i', nonce: 'n' });
	return received(preset, Buffer.from(body), headers);
}

/** Node takes no more of all headers together. */
const MAX_HEADER = 16_000;

const headerNames = ['Signature', 'Timestamp', 'Id', 'Nonce'].map((name) => `X-Webhook-${name}`);

describe.each(presets)('A delivery to the recipe %s', (preset) => {
	test('with any headers and bytes is not believed', () => {
		const name = fc.oneof(fc.constantFrom(...headerNames), fc.string());
		const value = fc.oneof(
			fc.constantFrom(...words),
			fc.string({ unit: 'binary' }),
			fc.array(fc.string(), { maxLength: 3 }),
			fc.constant(undefined),
		);
		fc.assert(
			fc.property(
				fc.dictionary(name, value),
				fc.uint8Array({ maxLength: 200 }),
				(headers, bytes) => {
					expect(judge(received(preset, Buffer.from(bytes), headers))).toBe(false);
				},
			),
			{ numRuns: 60 },
		);
	});

	test('with a hostile text in one header is not believed', () => {
		const body = Buffer.from('{"id":"e1"}');
		const { headers } = signed(preset, '{"id":"e1"}');
		for (const text of texts) {
			for (const own of headerNames) {
				const spoiled = received(preset, body, { ...headers, [own]: text.slice(0, MAX_HEADER) });
				const isSigned = own === 'X-Webhook-Signature';
				// The explanation tries out all recipes, whichever is set; the secret is read in two ways.
				const isExplained = isSigned && ['timestampBody', 'standardWebhooks'].includes(preset);
				expect(judge(spoiled, isExplained) && isSigned).toBe(false);
			}
		}
	});

	test('that is signed and holds anything is taken in, or refused as no JSON', () => {
		const bodies = [...texts, ...texts.map((text) => JSON.stringify({ id: text, status: text }))];
		for (const body of bodies.filter((text) => text.isWellFormed())) {
			let delivery: ReceivedDelivery;
			try {
				delivery = signed(preset, body);
			} catch {
				// Sorted Fields has no form for what is no JSON object.
				delivery = received(preset, Buffer.from(body), { 'X-Webhook-Signature': 'a'.repeat(32) });
			}
			judge(delivery, false);
		}
	});
});

describe('The fields of a callback', () => {
	test.each([
		['very deep', deepJson(50_000, '{"a":', '}').replace('}', '1}')],
		[
			'very deep below long names',
			deepJson(31, `{"${'n'.repeat(30_000)}":`, '}').replace('}', '1}'),
		],
		['very many', `{${Array.from({ length: 200_000 }, (_, at) => `"${at}":1`).join()}}`],
		['traps', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
		['lone surrogates', '{"a":"\\ud800","\\udfff":1}'],
		['no object', deepJson(50_000)],
	])('are made or refused at once where they are %s', (_, body) => {
		const fields = swiftly(
			() =>
				orRefusal(() => new WebhookBody(Buffer.from(body)).fields(SECRET), WebhookRejected).value,
			5_000,
		);
		expect((fields ?? '').length).toBeLessThan(20_000_000);
	});
});

test('Events are read from any JSON, each with what the workflow needs', () => {
	const keys = fc.constantFrom(
		'data',
		'events',
		'id',
		'status',
		'action_sn',
		'__proto__',
		'message',
	);
	const json = fc.letrec((tie) => ({
		value: fc.oneof(
			{ maxDepth: 4 },
			fc.jsonValue({ maxDepth: 1 }),
			fc.array(tie('value'), { maxLength: 3 }),
			fc.dictionary(keys, tie('value')),
		),
	})).value;
	fc.assert(
		fc.property(json, (payload) => {
			for (const event of readEvents(payload, 'd', now) ?? []) {
				expect(typeof event.event_id).toBe('string');
				expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
				expect(['published', 'failed', 'deleted', 'in_progress', 'unknown']).toContain(
					event.outcome,
				);
			}
		}),
		{ numRuns: 2_000 },
	);
});
