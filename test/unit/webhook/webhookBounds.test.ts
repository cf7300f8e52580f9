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

/**
 * Anyone can send a delivery, and n8n does nothing else while it verifies one. On an idle machine
 * the slowest delivery takes 300 ms; without the bounds it would take more than 12 s. A slow machine
 * may take several times as long.
 */
const MAX_MS = 3_000;

const now = new Date(1_700_000_000_000);
const appSecret = 'c2VjcmV0LTAxMjM0NTY3ODk=';
const presets = Object.keys(recipes) as RecipeName[];

/** The presets that sign a body in different ways. */
const different: RecipeName[] = ['body', 'sortedFields'];

const cpuMs = (task: () => unknown): number => {
	const started = process.cpuUsage();
	task();
	return process.cpuUsage(started).user / 1_000;
};

const filled = (open: string, piece: string, close: string, size: number) =>
	open +
	piece.repeat(Math.floor((size - open.length - close.length) / Buffer.byteLength(piece))) +
	close;

const bodies = (size: number): Array<[title: string, body: string]> => [
	['numbers', filled('{"a":[', '1,', '1]}', size)],
	['large numbers', filled('{"a":[', '12345678901234567890,', '1]}', size)],
	['escapes beside a large number', filled('{"b":1234567890123456789,"a":"', '\\n', '"}', size)],
	['numbers beside a large number', filled('{"b":1234567890123456789,"a":"', '1*', '"}', size)],
	['digits beside a large number', filled('{"b":1234567890123456789,"a":"', '1a', '"}', size)],
	['characters that a form escapes', filled('{"a":"', '~', '"}', size)],
	['characters of several bytes', filled('{"a":"', '中', '"}', size)],
	['nested objects', '{"a":'.repeat(size / 6) + '1' + '}'.repeat(size / 6)],
	['nested lists', '['.repeat(size / 2) + ']'.repeat(size / 2)],
	['empty events', filled('[', '{},', '{}]', size)],
	['fields', `{${Array.from({ length: size / 13 }, (_, at) => `"k${at}":1`).join()}}`],
	['long names', `{"${'~'.repeat(size / 4)}":{"a":1,"b":1,"c":1},"d":"${'~'.repeat(size / 2)}"}`],
	['spaces', filled('{"a":1', ' ', '}', size)],
	['quotes', filled('', '"', '', size)],
];

const received = (
	preset: RecipeName,
	rawBody: Buffer,
	headers: ReceivedDelivery['headers'],
): ReceivedDelivery => ({
	...{ rawBody, headers, now, appSecret },
	recipe: recipes[preset],
});

function signedAs(preset: RecipeName, body: string): ReceivedDelivery {
	const timestamp = String(now.getTime() / 1_000);
	const parts = { body, secret: appSecret, timestamp, id: 'i', nonce: 'n' };
	let headers = {};
	try {
		headers = signedHeaders(RECIPES[preset], parts);
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

describe('verifyDelivery with 16 MB', () => {
	test('quickly refuses the body with every preset', () => {
		const rawBody = Buffer.from(filled('{"a":[', '1,', '1]}', 16 * 2 ** 20 - 100));
		for (const preset of presets) {
			const headers = { 'X-Webhook-Signature': '0'.repeat(length[recipes[preset].digest]) };
			const delivery = received(preset, rawBody, headers);
			expect(outcomeOf(delivery)).toBe('too-large');
			withinTimeLimit(() => outcomeOf(delivery), 100);
		}
	});
});

describe('verifyDelivery within the bounds', () => {
	const fields = Array.from({ length: 29_000 }, (_, at) => `"k${at}":"~"`);
	const hasManyValues = ([title]: [string, string]) =>
		['numbers', 'large numbers', 'empty events', 'fields'].includes(title);
	/** Bodies of almost the maximum size, or with almost the maximum number of values. */
	const most = [
		...bodies(2 ** 20).filter((body) => !hasManyValues(body)),
		...bodies(59_000).filter(hasManyValues),
	];
	const small = [
		...most.map((body) => [...body, different] as const),
		['almost the maximum number of fields', `{${fields.join()}}`, different] as const,
	];

	test.each(small)('quickly verifies a body of %s', (_, body, by) => {
		for (const preset of by) {
			const delivery = signedAs(preset, body);
			withinTimeLimit(() => outcomeOf(delivery), MAX_MS);
		}
	});

	test.each(['action_sn', 'platform'])(
		'quickly verifies 1,000 events next to a long %s',
		(name) => {
			const events = Array.from({ length: 1_000 }, () => ({ status: 'failed' }));
			for (const text of ['x'.repeat(900_000), ' '.repeat(900_000)]) {
				const delivery = signedAs('body', JSON.stringify({ [name]: text, events }));
				expect(withinTimeLimit(() => outcomeOf(delivery), MAX_MS)).toBe('accepted');
			}
		},
	);

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

	test('quickly diagnoses a delivery with any number of headers', () => {
		const text = Array(4).fill(allDigests).join();
		const times = ['X-Time', 'X-Webhook-Timestamp', 'Date-Time', 'X-Ts'].map((name) => [
			name,
			'1700000000',
		]);
		const others = ['X-Event-Id', 'Svix-Id', 'Request-Id', 'X-Nonce', 'X-Random', 'Nonce'].map(
			(name) => [name, 'x'],
		);
		const filler = Array.from({ length: 2_000 }, (_, at) => [`ts-${at}-ts`, '1']);
		const more = Object.fromEntries([...times, ...others, ...filler]) as Record<string, string>;
		const headers = { ...more, 'X-Webhook-Signature': text, 'X-Hmac': text, 'X-Sign': text };
		for (const [, body] of most.slice(0, 2)) {
			const delivery = received('timestampBody', Buffer.from(body), headers);
			const explain = () => {
				try {
					verifyDelivery(delivery);
				} catch (error) {
					const { status, message } = error as WebhookRejected;
					if (status === 401) explainRefusal(delivery, message);
				}
			};
			withinTimeLimit(explain, MAX_MS);
		}
	});

	test('encodes the fields once when it diagnoses a delivery with several signatures', () => {
		const rawBody = Buffer.from(filled('{"a":"', '~', '"}', 2 ** 19));
		const names = ['X-Webhook-Signature', 'X-Hmac', 'X-Sign', 'X-Digest'];
		const headers = Object.fromEntries(names.map((name) => [name, allDigests]));
		const delivery = received('sortedFields', rawBody, headers);
		const refusal = new WebhookRejected('wrong-signature', 'The signature does not match.');
		const onceMs = cpuMs(() => outcomeOf(delivery));
		expect(explainRefusal(delivery, refusal.message)).toContain('No known signature method');
		expect(cpuMs(() => explainRefusal(delivery, refusal.message))).toBeLessThan(4 * onceMs + 100);
	});
});
