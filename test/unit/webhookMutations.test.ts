import fc from 'fast-check';
import {
	recipes,
	verifyWebhook,
	WebhookRejected,
	type SignatureRecipe,
} from '../../nodes/SocialOpenPlatform/protocol/webhook';
import type { ReceivedDelivery } from '../../nodes/SocialOpenPlatform/protocol/webhook/delivery';
import { RECIPES } from '../emulator/webhook/recipe';
import { signedHeaders } from '../emulator/webhook/sign';
import { all, body, now, recipeOf, secret } from './webhookVectors';

type Delivery = Pick<ReceivedDelivery, 'rawBody'> & { headers: Record<string, string> };

let tried = 0;

/** Whether the verifier believes it; anything but a refusal or an event is a fault. */
function isBelieved(delivery: Delivery, recipe: SignatureRecipe): boolean {
	tried++;
	try {
		verifyWebhook({ ...delivery, appSecret: secret, recipe, now: new Date(now) });
		return true;
	} catch (error) {
		if (error instanceof WebhookRejected) return false;
		throw error;
	}
}

/** Sorted Fields leaves nulls unsigned, and with them their names; here is a body without any. */
const withoutNulls = body.replace('"none":null,', '');
const sorted = signedHeaders(RECIPES.sortedFields, {
	...{ body: withoutNulls, secret, timestamp: '', id: '', nonce: '' },
});

const deliveries = Object.entries(recipeOf).map(
	([id, recipe]): [string, Delivery, SignatureRecipe] => {
		const { headers } = all.find((vector) => vector.id === id)!;
		return recipe === recipes.sortedFields
			? [id, { headers: sorted, rawBody: Buffer.from(withoutNulls) }, recipe]
			: [id, { headers, rawBody: Buffer.from(body) }, recipe];
	},
);

const changedBody = (delivery: Delivery, position: number, xor: number): Delivery => {
	const rawBody = Buffer.from(delivery.rawBody);
	rawBody[position]! ^= xor;
	return { ...delivery, rawBody };
};

/** Everything a header can hold: visible ASCII, blanks, and what lies beyond. */
const headerCharacters = Array.from({ length: 0x100 }, (_, code) => String.fromCharCode(code));

afterAll(() => {
	process.stdout.write(
		`\n${tried} changed deliveries tried against the verifier, none believed.\n\n`,
	);
});

describe.each(deliveries)('of a delivery as in %s', (_, delivery, recipe) => {
	it('itself is believed', () => {
		expect(isBelieved(delivery, recipe)).toBe(true);
		tried--;
	});

	it('no changed byte of the body is', () => {
		const position = fc.nat(delivery.rawBody.length - 1);
		const changed = fc.property(position, fc.integer({ min: 1, max: 255 }), (at, xor) => {
			expect(isBelieved(changedBody(delivery, at, xor), recipe)).toBe(false);
		});
		fc.assert(changed, { numRuns: 300 });
	});

	it('no shorter, longer or joined body is', () => {
		const { rawBody } = delivery;
		const cut = fc.property(
			fc.nat(rawBody.length - 1),
			fc.uint8Array({ minLength: 1 }),
			(at, more) => {
				const inserted = Buffer.concat([rawBody.subarray(0, at), more, rawBody.subarray(at)]);
				expect(isBelieved({ ...delivery, rawBody: rawBody.subarray(0, at) }, recipe)).toBe(false);
				const isUnsignedBlank =
					recipe === recipes.sortedFields && /^\s*$/.test(String(Buffer.from(more)));
				expect(!isUnsignedBlank && isBelieved({ ...delivery, rawBody: inserted }, recipe)).toBe(
					false,
				);
			},
		);
		fc.assert(cut, { numRuns: 100 });
	});

	it('no changed character of the signature or of a signed header is', () => {
		const believed: string[] = [];
		for (const [name, text] of Object.entries(delivery.headers)) {
			for (let at = 0; at < text.length; at++) {
				for (const character of headerCharacters) {
					if (character === text[at]) continue;
					const changed = text.slice(0, at) + character + text.slice(at + 1);
					const headers = { ...delivery.headers, [name]: changed };
					if (isBelieved({ ...delivery, headers }, recipe)) believed.push(`${name}: ${changed}`);
				}
			}
		}
		expect(believed).toEqual([]);
	});

	it('no shortened, repeated or missing header is', () => {
		for (const [name, text] of Object.entries(delivery.headers)) {
			const worse = [undefined, '', text.slice(1), text.slice(0, -2), text + text, `${text}0`];
			for (const changed of worse) {
				const { [name]: left, ...others } = delivery.headers;
				const headers = changed === undefined ? others : { ...others, [name]: changed };
				expect([name, changed, isBelieved({ ...delivery, headers }, recipe)]).toEqual([
					name,
					changed,
					false,
				]);
			}
		}
	});
});

it('nothing at all is believed of what a stranger makes up', () => {
	const headers = fc.dictionary(
		fc.constantFrom(
			'X-Webhook-Signature',
			'X-Webhook-Timestamp',
			'X-Webhook-Id',
			'X-Webhook-Nonce',
		),
		fc.oneof(fc.string(), fc.constantFrom('1700000000', 'v1,', 't=1700000000,v1=', '0'.repeat(64))),
	);
	const recipe = fc.constantFrom(...Object.values(recipeOf));
	const made = fc.property(headers, fc.oneof(fc.json(), fc.string()), recipe, (own, text, by) => {
		expect(isBelieved({ headers: own, rawBody: Buffer.from(text) }, by)).toBe(false);
	});
	fc.assert(made, { numRuns: 3_000 });
});
