import fc from 'fast-check';
import {
	recipes,
	verifyWebhook,
	WebhookRejected,
	type SignatureRecipe,
} from '../../../nodes/SocialOpenPlatform/webhook/signature';
import type { ReceivedDelivery } from '../../../nodes/SocialOpenPlatform/webhook/signature/verify';
import { RECIPES } from '../../emulator/webhook/recipe';
import { signedHeaders } from '../../emulator/webhook/sign';
import { all, body, now, recipeOf, secret } from './webhookVectors';

type Delivery = Pick<ReceivedDelivery, 'rawBody' | 'headers'>;

/** Whether a delivery is accepted. Throws every error that is not a refusal. */
function isAccepted(delivery: Delivery, recipe: SignatureRecipe): boolean {
	try {
		verifyWebhook({ ...delivery, appSecret: secret, recipe, now: new Date(now) });
		return true;
	} catch (error) {
		if (error instanceof WebhookRejected) return false;
		throw error;
	}
}

/** Sorted Fields does not sign nulls and their names, so this body has none. */
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

/** Returns a character with each of its bits changed, and characters that separate parts of a header. */
const othersThan = (character: string): string[] => [
	...[1, 2, 4, 8, 16, 32, 64, 128].map((bit) => String.fromCharCode(character.charCodeAt(0) ^ bit)),
	...[...' ,=.0\0'].filter((other) => other !== character),
];

describe.each(deliveries)('verifyWebhook with the vector %s', (_, delivery, recipe) => {
	it('accepts the delivery', () => {
		expect(isAccepted(delivery, recipe)).toBe(true);
	});

	it('refuses a body with a changed byte', () => {
		const position = fc.nat(delivery.rawBody.length - 1);
		const changed = fc.property(position, fc.integer({ min: 1, max: 255 }), (at, xor) => {
			return !isAccepted(changedBody(delivery, at, xor), recipe);
		});
		fc.assert(changed, { numRuns: 60 });
	});

	it('refuses a shorter or longer body', () => {
		const { rawBody } = delivery;
		const cut = fc.property(
			fc.nat(rawBody.length - 1),
			fc.uint8Array({ minLength: 1 }),
			(at, more) => {
				const inserted = Buffer.concat([rawBody.subarray(0, at), more, rawBody.subarray(at)]);
				if (isAccepted({ ...delivery, rawBody: rawBody.subarray(0, at) }, recipe)) return false;
				const isUnsignedBlank =
					recipe === recipes.sortedFields && /^\s*$/.test(String(Buffer.from(more)));
				return isUnsignedBlank || !isAccepted({ ...delivery, rawBody: inserted }, recipe);
			},
		);
		fc.assert(cut, { numRuns: 30 });
	});

	it('refuses a header that is changed, shortened, repeated or missing', () => {
		const accepted: string[] = [];
		for (const [name, text] of Object.entries(delivery.headers as Record<string, string>)) {
			const changed = [...text].flatMap((character, at) =>
				othersThan(character).map((other) => text.slice(0, at) + other + text.slice(at + 1)),
			);
			const others = [undefined, '', text.slice(1), text.slice(0, -2), text + text, `${text}0`];
			for (const one of [...changed, ...others]) {
				const headers = { ...delivery.headers, [name]: one };
				if (isAccepted({ ...delivery, headers }, recipe)) accepted.push(`${name}: ${one}`);
			}
		}
		expect(accepted).toEqual([]);
	});
});
