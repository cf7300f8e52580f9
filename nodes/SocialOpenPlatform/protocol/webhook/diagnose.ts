import { assertSigned } from './index';
import { headerOf, WebhookBody, type ReceivedDelivery, type WebhookRejected } from './delivery';
import { recipes, signs, type Placeholder, type SignatureRecipe } from './recipe';
import { digestLabels, keyFormLabels, recipeLabels } from './settings';
import { readSignature } from './signatureHeader';
import { readTimestamp } from './signedContent';

/** Signed contents that are common on other platforms. Those that cover more values come first. */
const KEYED_CONTENT = [
	'{id}.{timestamp}.{body}',
	'{timestamp}{nonce}{body}',
	'{nonce}{timestamp}{body}',
	'{timestamp}.{nonce}.{body}',
	'{timestamp}\n{nonce}\n{body}',
	'{timestamp}.{body}',
	'{timestamp}{body}',
	'{timestamp}\n{body}',
	'{timestamp}:{body}',
	'v0:{timestamp}:{body}',
	'{body}{timestamp}',
	'{body}.{timestamp}',
	'{body}',
];
const PLAIN_CONTENT = [
	'{timestamp}{nonce}{secret}{body}',
	'{secret}{timestamp}{nonce}{body}',
	'{timestamp}{nonce}{body}{secret}',
	'{timestamp}{secret}{body}',
	'{secret}{timestamp}{body}',
	'{timestamp}{body}{secret}',
	'{secret}{body}',
	'{body}{secret}',
	'{fields}',
];
/** The digests, strongest first. */
const DIGESTS = ['sha512', 'sha256', 'sha1', 'md5'] as const;

/**
 * Allows any time. The search for the signature method ignores the time, which is checked
 * afterwards.
 */
const anyTime = { toleranceSeconds: Number.MAX_VALUE };

type Headers = Pick<
	SignatureRecipe,
	'signatureHeader' | 'timestampHeader' | 'idHeader' | 'nonceHeader'
>;

/** Maximum number of headers of one kind to try. No sender uses more. */
const MAX_CANDIDATES = 4;

/** Maximum cost of all attempts together, in hashed bytes. */
const MAX_COST = 32 * 1024 * 1024;

/** The cost of an attempt, and of each character of its signature header, in hashed bytes. */
const ATTEMPT_COST = 4 * 1024;
const CHARACTER_COST = 64;

/**
 * The names of headers to try: the configured one, if the delivery has it, then those with similar
 * names.
 */
function candidates(
	received: ReceivedDelivery,
	configured: string,
	isSimilar: (name: string) => boolean,
): string[] {
	const isConfigured = (name: string) => name.toLowerCase() === configured.toLowerCase();
	const others = Object.keys(received.headers).filter(
		(name) => !isConfigured(name) && isSimilar(name),
	);
	const present = headerOf(received, configured) === undefined ? [] : [configured];
	const all = [...present, ...others].slice(0, MAX_CANDIDATES);
	return all.length > 0 ? all : [configured];
}

interface Candidates {
	signatures: string[];
	times: string[];
	ids: string[];
	nonces: string[];
}

function candidatesOf(received: ReceivedDelivery): Candidates {
	const { signatureHeader, timestampHeader, idHeader, nonceHeader } = received.recipe;
	const isTime = (name: string) => readTimestamp(String(received.headers[name])) !== undefined;
	return {
		signatures: candidates(received, signatureHeader, (name) => /sign|hmac|digest/i.test(name)),
		times: candidates(received, timestampHeader, (n) => /time|date|ts$/i.test(n) && isTime(n)),
		ids: candidates(received, idHeader, (name) =>
			/(?:webhook|event|message|msg|delivery|request|svix)-?id$/i.test(name),
		),
		nonces: candidates(received, nonceHeader, (name) => /nonce|random/i.test(name)),
	};
}

/**
 * Every known recipe, with the strongest digests first. For each digest, the recipes that sign the
 * largest part of a delivery come first.
 */
function* knownRecipes(): Generator<SignatureRecipe> {
	for (const digest of DIGESTS) {
		for (const template of KEYED_CONTENT) {
			for (const key of ['utf8', 'base64'] as const) {
				yield { ...recipes.body, digest, template, key };
			}
		}
		for (const template of PLAIN_CONTENT) yield { ...recipes.body, digest, template, keyed: false };
	}
}

/** A recipe with each combination of the headers that it can use. */
function* withHeaders(
	recipe: SignatureRecipe,
	{ times, ids, nonces }: Candidates,
): Generator<SignatureRecipe> {
	const used = (name: Placeholder, names: string[]) =>
		signs(recipe, name) ? names : names.slice(0, 1);
	for (const timestampHeader of used('timestamp', times)) {
		for (const idHeader of used('id', ids)) {
			for (const nonceHeader of used('nonce', nonces)) {
				yield { ...recipe, timestampHeader, idHeader, nonceHeader };
			}
		}
	}
}

/** Removes the headers that are not needed, because each attempt searches all headers. */
function withCandidatesOnly(received: ReceivedDelivery, found: Candidates): ReceivedDelivery {
	const { signatures, times, ids, nonces } = found;
	const wanted = new Set([signatures, times, ids, nonces].flat().map((one) => one.toLowerCase()));
	const names = Object.keys(received.headers).filter((name) => wanted.has(name.toLowerCase()));
	return {
		...received,
		headers: Object.fromEntries(names.map((name) => [name, received.headers[name]])),
	};
}

type Finding =
	| { recipe: SignatureRecipe }
	/** Whether any header contains a readable signature, and whether all recipes were tried. */
	| { recipe?: undefined; isReadable: boolean; isComplete: boolean };

/** Finds the strongest recipe whose signature matches. */
function findRecipe(all: ReceivedDelivery, body: WebhookBody): Finding {
	const found = candidatesOf(all);
	const received = withCandidatesOnly(all, found);
	let left = MAX_COST;
	let isReadable = false;
	for (const known of knownRecipes()) {
		for (const signatureHeader of found.signatures) {
			const text = headerOf(received, signatureHeader) ?? '';
			left -= text.length;
			if (readSignature(text, known) === undefined) continue;
			isReadable = true;
			for (const recipe of withHeaders({ ...known, signatureHeader }, found)) {
				left -= received.rawBody.length + ATTEMPT_COST + CHARACTER_COST * text.length;
				if (left < 0) return { isReadable, isComplete: false };
				if (isSignedBy(received, body, recipe)) return { recipe };
			}
		}
	}
	return { isReadable, isComplete: true };
}

function isSignedBy(
	received: ReceivedDelivery,
	body: WebhookBody,
	recipe: SignatureRecipe,
): boolean {
	try {
		assertSigned({ ...received, recipe: { ...recipe, ...anyTime } }, body);
		return true;
	} catch {
		return false;
	}
}

/** The headers that a recipe uses, with their labels in the credential. */
const usedHeaders = (
	recipe: SignatureRecipe,
): Array<readonly [label: string, field: keyof Headers]> => [
	['Signature Header', 'signatureHeader'],
	...(signs(recipe, 'timestamp') ? [['Timestamp Header', 'timestampHeader'] as const] : []),
	...(signs(recipe, 'id') ? [['ID Header', 'idHeader'] as const] : []),
	...(signs(recipe, 'nonce') ? [['Nonce Header', 'nonceHeader'] as const] : []),
];

/** The preset that is equal to a recipe, including the names of headers. */
const presetOf = (recipe: SignatureRecipe): keyof typeof recipes | undefined =>
	(Object.keys(recipes) as Array<keyof typeof recipes>).find((name) => {
		const preset: SignatureRecipe = recipes[name];
		return (
			(['digest', 'keyed', 'template'] as const).every((part) => preset[part] === recipe[part]) &&
			(!preset.keyed || preset.key === recipe.key) &&
			usedHeaders(recipe).every(
				([, field]) => preset[field].toLowerCase() === recipe[field].toLowerCase(),
			)
		);
	});

/** The values to enter in the credential for a recipe without a preset. */
function customFields(recipe: SignatureRecipe): string {
	const { digest, keyed, key, template } = recipe;
	return [
		`Digest ${digestLabels[digest]}`,
		`Keyed ${keyed ? 'on' : 'off'}`,
		...(keyed ? [`App Secret Form ${keyFormLabels[key]}`] : []),
		`Signed Content ${template.replaceAll('\n', '\\n')}`,
		...usedHeaders(recipe).map(([label, field]) => `${label} ${recipe[field]}`),
	].join('; ');
}

/**
 * Explains a refusal to the person who sets up the credential: names the known method that matches
 * the signature, or says what to check. It is used only for test deliveries, because it tries all
 * recipes.
 *
 * @returns sentences without any secret or signature
 */
export function explainRefusal(
	received: ReceivedDelivery,
	rejection: WebhookRejected,
	body = new WebhookBody(received.rawBody),
): string {
	if (rejection.isAuthentic) return rejection.message;
	if (isSignedBy(received, body, received.recipe)) {
		return rejection.reason === 'stale-timestamp'
			? `${rejection.message} The signature itself is valid. Check the clock of the machine that runs n8n, or increase 'Time Window (Seconds)' in the options.`
			: rejection.message;
	}
	const finding = findRecipe(received, body);
	if (finding.recipe) {
		const preset = presetOf(finding.recipe);
		return preset
			? `This delivery is signed with '${recipeLabels[preset]}'. In the credential, turn on 'Show Advanced Settings', and choose it under 'Webhook Signature Method'.`
			: `This delivery is signed with another method. In the credential, turn on 'Show Advanced Settings', choose 'Custom' under 'Webhook Signature Method', and enter: ${customFields(finding.recipe)}.`;
	}
	return `${rejection.message} ${adviceOn(rejection, finding)}`;
}

function adviceOn(
	{ reason }: WebhookRejected,
	{ isReadable, isComplete }: { isReadable: boolean; isComplete: boolean },
): string {
	if (!isComplete)
		return 'Not every signature method was tried. Ask the platform to send a smaller event.';
	if (reason === 'unsigned-fields') return 'Ask the platform to send the event without them.';
	if (isReadable) {
		return 'It does not match any known method either. Check the App Secret in the credential first. If it is correct, ask the platform what it signs, and enter that with the method Custom.';
	}
	return reason === 'missing-signature'
		? 'Check that the delivery comes from the platform, and which header contains its signature.'
		: 'No header contains a readable signature. Ask the platform for the header and the format of its signature.';
}
