import fc from 'fast-check';
import { explainRefusal } from '../../../nodes/SocialOpenPlatform/webhook/signature/finder';
import { readEvents } from '../../../nodes/SocialOpenPlatform/webhook/signature/event';
import { recipes, WebhookRejected } from '../../../nodes/SocialOpenPlatform/webhook/signature';
import {
	verifyDelivery,
	type ReceivedDelivery,
} from '../../../nodes/SocialOpenPlatform/webhook/signature/verify';
import { sortedFields } from '../../../nodes/SocialOpenPlatform/webhook/signature/sortedFields';
import { RECIPES, type RecipeName } from '../../emulator/webhook/recipe';
import { signedHeaders } from '../../emulator/webhook/sign';
import {
	deepJson,
	expectNoSecret,
	resultOrRefusal,
	SECRET,
	withinTimeLimit,
	texts,
	words,
} from '../hostileValues';

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

/** Verifies a delivery as the trigger does, in production and for a test event. */
function isAccepted(delivery: ReceivedDelivery, isExplained = true): boolean {
	const { value, refusal } = resultOrRefusal(() => verifyDelivery(delivery), WebhookRejected);
	if (value) return true;
	expectNoSecret(refusal);
	const { status, message } = refusal as WebhookRejected;
	if (isExplained && status === 401) {
		expectNoSecret(withinTimeLimit(() => explainRefusal(delivery, message), 3_000));
	}
	return false;
}

function signed(preset: RecipeName, body: string): ReceivedDelivery {
	const { appSecret: secret } = received(preset, Buffer.alloc(0), {});
	const timestamp = String(now.getTime() / 1000);
	const headers = signedHeaders(RECIPES[preset], { body, secret, timestamp, id: 'i', nonce: 'n' });
	return received(preset, Buffer.from(body), headers);
}

/** Node limits the headers of a request to this size. */
const MAX_HEADER = 16_000;

const headerNames = ['Signature', 'Timestamp', 'Id', 'Nonce'].map((name) => `X-Webhook-${name}`);

describe.each(presets)('verifyDelivery with the preset %s', (preset) => {
	test('refuses random headers and bytes', () => {
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
					expect(isAccepted(received(preset, Buffer.from(bytes), headers))).toBe(false);
				},
			),
			{ numRuns: 30 },
		);
	});

	test('refuses hostile text in a header', () => {
		const body = Buffer.from('{"id":"e1"}');
		const { headers } = signed(preset, '{"id":"e1"}');
		for (const text of texts) {
			for (const own of headerNames) {
				const changed = received(preset, body, { ...headers, [own]: text.slice(0, MAX_HEADER) });
				const isSigned = own === 'X-Webhook-Signature';
				// Explaining is slow and tries all recipes, so two presets are enough: one for each key encoding.
				const isExplained = isSigned && ['timestampBody', 'standardWebhooks'].includes(preset);
				expect(isAccepted(changed, isExplained) && isSigned).toBe(false);
			}
		}
	});

	test('accepts or refuses any signed body and throws no other error', () => {
		const bodies = [...texts, ...texts.map((text) => JSON.stringify({ id: text, status: text }))];
		for (const body of bodies.filter((text) => text.isWellFormed())) {
			let delivery: ReceivedDelivery;
			try {
				delivery = signed(preset, body);
			} catch {
				// Sorted Fields can sign only JSON objects.
				delivery = received(preset, Buffer.from(body), { 'X-Webhook-Signature': 'a'.repeat(32) });
			}
			isAccepted(delivery, false);
		}
	});
});

describe('sortedFields', () => {
	test.each([
		[
			'deep objects with long names',
			deepJson(31, `{"${'n'.repeat(30_000)}":`, '}').replace('}', '1}'),
		],
		['very many fields', `{${Array.from({ length: 200_000 }, (_, at) => `"${at}":1`).join()}}`],
		[
			'names that objects inherit',
			'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
		],
		['lone surrogates', '{"a":"\\ud800","\\udfff":1}'],
	])('quickly encodes or refuses %s', (_, body) => {
		const fields = withinTimeLimit(() => sortedFields(JSON.parse(body), SECRET), 5_000);
		expect((fields ?? '').length).toBeLessThan(20_000_000);
	});
});

test('readEvents returns valid events for any JSON', () => {
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
			const { value } = resultOrRefusal(() => readEvents(payload, undefined, now), WebhookRejected);
			for (const { event } of value ?? []) {
				expect(typeof event.event_id).toBe('string');
				expect(Object.getPrototypeOf(event)).toBe(Object.prototype);
				expect(['published', 'failed', 'deleted', 'in_progress', 'unknown']).toContain(
					event.outcome,
				);
			}
		}),
		{ numRuns: 150 },
	);
});
