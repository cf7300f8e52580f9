import { explainRefusal } from '../../../nodes/SocialOpenPlatform/webhook/signature/finder';
import {
	recipes,
	verifyWebhook,
	WebhookRejected,
} from '../../../nodes/SocialOpenPlatform/webhook/signature';
import {
	verifyDelivery,
	type ReceivedDelivery,
} from '../../../nodes/SocialOpenPlatform/webhook/signature/verify';
import { RECIPES, type RecipeName } from '../../emulator/webhook/recipe';
import { signedHeaders } from '../../emulator/webhook/sign';
import { withinTimeLimit } from '../hostileValues';

const now = new Date(1_700_000_000_000);
const appSecret = 'c2VjcmV0LTAxMjM0NTY3ODk=';

/** The presets that sign a body in different ways. */
const different: RecipeName[] = ['body', 'sortedFields'];

const filled = (open: string, piece: string, close: string, size: number) =>
	open +
	piece.repeat(Math.floor((size - open.length - close.length) / Buffer.byteLength(piece))) +
	close;

/** Code whose time is quadratic takes seconds for 100 KB or 20,000 values, and linear code does not. */
const SIZE = 100_000;

const bodies: Array<[title: string, body: string]> = [
	['numbers', filled('{"a":[', '1,', '1]}', 40_000)],
	['large numbers', filled('{"a":[', '12345678901234567890,', '1]}', SIZE)],
	['escapes beside a large number', filled('{"b":1234567890123456789,"a":"', '\\n', '"}', SIZE)],
	['numbers beside a large number', filled('{"b":1234567890123456789,"a":"', '1*', '"}', SIZE)],
	['characters that a form escapes', filled('{"a":"', '~', '"}', SIZE)],
	['characters of several bytes', filled('{"a":"', '中', '"}', SIZE)],
	['fields', `{${Array.from({ length: 20_000 }, (_, at) => `"k${at}":"~"`).join()}}`],
	['long names', `{"${'~'.repeat(SIZE)}":{"a":1,"b":1,"c":1},"d":"${'~'.repeat(SIZE)}"}`],
	['spaces', filled('{"a":1', ' ', '}', SIZE)],
	['quotes', filled('', '"', '', SIZE)],
];

const received = (
	preset: RecipeName,
	rawBody: Buffer,
	headers: ReceivedDelivery['headers'],
): ReceivedDelivery => ({
	...{ rawBody, headers, now, appSecret },
	recipe: recipes[preset],
});

function signedAs(
	preset: RecipeName,
	body: string,
	digest = RECIPES[preset].digest,
): ReceivedDelivery {
	const timestamp = String(now.getTime() / 1_000);
	const parts = { body, secret: appSecret, timestamp, id: 'i', nonce: 'n' };
	let headers = {};
	try {
		headers = signedHeaders({ ...RECIPES[preset], digest }, parts);
	} catch {
		// Sorted Fields can sign only JSON objects.
	}
	return received(preset, Buffer.from(body), headers);
}

function outcomeOf(delivery: ReceivedDelivery): string {
	try {
		verifyDelivery(delivery);
		return 'accepted';
	} catch (error) {
		if (!(error instanceof WebhookRejected)) throw error;
		return error.reason;
	}
}

const length = { sha256: 64, sha512: 128, sha1: 40, md5: 32 };

/** A signature that each method can read, because it ignores the labels of the others. */
const allDigests = Object.entries(length)
	.map(([digest, characters]) => `${digest}=${'0'.repeat(characters)}`)
	.join();

describe('verifyDelivery', () => {
	// Bodies of exactly the maximum size, and of one character, value, level or event more.
	test.each<[limit: string, bodyWith: (more: number) => string, reason: string]>([
		['1 MB', (more) => `{"a":"${'x'.repeat(2 ** 20 - 8 + more)}"}`, 'too-large'],
		['30,000 values', (more) => `{"a":[${'1,'.repeat(29_997 + more)}1]}`, 'too-large'],
		['32 levels', (more) => '{"a":'.repeat(32 + more) + '1' + '}'.repeat(32 + more), 'too-large'],
		['1,000 events', (more) => `[${'{},'.repeat(999 + more)}{}]`, 'not-json'],
	])('accepts a body of %s, and refuses a larger one', (_, bodyWith, reason) => {
		expect(outcomeOf(signedAs('body', bodyWith(0)))).toBe('accepted');
		expect(outcomeOf(signedAs('body', bodyWith(1)))).toBe(reason);
	});

	test.each(bodies)('quickly verifies a body of %s', (_, body) => {
		for (const preset of different) {
			const delivery = signedAs(preset, body);
			withinTimeLimit(() => outcomeOf(delivery));
		}
	});

	test('quickly verifies 1,000 events next to a long ID', () => {
		const events = Array.from({ length: 1_000 }, () => ({ status: 'failed' }));
		for (const text of ['x'.repeat(900_000), ' '.repeat(900_000)]) {
			const delivery = signedAs('body', JSON.stringify({ action_sn: text, events }));
			expect(withinTimeLimit(() => outcomeOf(delivery))).toBe('accepted');
		}
	});

	test.each([
		['keeps an ID of 1,000 characters', 1_000],
		['drops a longer ID from the output fields', 1_001],
	])('%s', (_, size) => {
		const id = 'x'.repeat(size);
		const event = { event_id: id, action_sn: id, status: 'failed' };
		const read = verifyWebhook(signedAs('body', JSON.stringify(event)));
		expect(read.action_sn).toBe(size > 1_000 ? null : id);
		expect(read.event_id.length).toBeLessThanOrEqual(1_000);
		expect(read.payload).toEqual(event);
	});
});

describe('explainRefusal', () => {
	const explain = (delivery: ReceivedDelivery) => explainRefusal(delivery, 'Refused.');
	const none = 'No known signature method';

	test('tries only the first four headers that may contain a signature', () => {
		const signature = signedAs('body', '{}').headers['X-Webhook-Signature'];
		const names = ['X-Hmac', 'X-Digest', 'X-Sign-2', 'X-Sign-3'];
		names.forEach((signed, at) => {
			const headers = Object.fromEntries(names.map((name) => [name, 'x']));
			const delivery = {
				...signedAs('body', '{}'),
				headers: { 'X-Webhook-Signature': 'x', ...headers, [signed]: signature },
			};
			expect(explain(delivery)).toContain(at < 3 ? `Signature Header ${signed}` : none);
		});
	});

	test('is quick with many headers that may contain a signature, a time and an ID', () => {
		const names = Array.from({ length: 500 }, (_, at) => `Sign-Time-${at}-Event-Id`);
		const headers = Object.fromEntries(names.map((name) => [name, allDigests]));
		const delivery = received('sortedFields', Buffer.from('{"a":1}'), headers);
		expect(withinTimeLimit(() => explain(delivery))).toContain(none);
	});

	test.each(different)('encodes the fields and computes each digest once, as for %s', (preset) => {
		const { headers, ...delivery } = signedAs(preset, '{"a":1}', 'sha256');
		const other = { 'X-Webhook-Signature': allDigests, 'X-Hmac': headers['X-Webhook-Signature'] };
		let reads = 0;
		const changing = {
			...{ ...delivery, headers: other },
			// After the first digest, the body is another one.
			get rawBody() {
				return reads++ === 0 ? delivery.rawBody : Buffer.from('{"a":2}');
			},
		};
		expect(explain(changing)).toContain('Signature Header X-Hmac');
	});
});
