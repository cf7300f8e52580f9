import { formUrlEncode } from './signature';

const REDACTED = '[redacted]';

/** Shorter ones would turn ordinary text into holes. */
const MIN_LENGTH = 6;

/** Deeper than any answer; a hostile one must not exhaust the stack. */
const MAX_DEPTH = 100;

/** The forms in which a secret may come back: in clear, in base64, percent- and form-encoded. */
function formsOf(secret: string): string[] {
	const base64 = Buffer.from(secret).toString('base64');
	const encoded = secret.isWellFormed()
		? [encodeURIComponent(secret), formUrlEncode({ s: secret }).slice(2)]
		: [];
	const lowerHex = encoded.map((text) => text.replace(/%../g, (hex) => hex.toLowerCase()));
	return [secret, base64, base64.replace(/=+$/, ''), ...encoded, ...lowerHex];
}

/** By the very list of secrets, so that nothing here keeps them longer than their owner does. */
const knownForms = new WeakMap<readonly string[], string[]>();

function formsOfAll(secrets: readonly string[]): string[] {
	const known = knownForms.get(secrets);
	if (known) return known;
	const forms = [...new Set(secrets.filter((s) => s.length >= MIN_LENGTH).flatMap(formsOf))];
	knownForms.set(secrets, forms);
	return forms;
}

/**
 * Takes secrets out of a value that came from the platform, keys included, so that nothing it echoes
 * is stored with an execution. The value itself is left as it is.
 *
 * @param secrets in clear; very short ones are not looked for. A list that is used again is faster
 */
export function redact<T>(value: T, secrets: readonly string[]): T {
	const forms = formsOfAll(secrets);
	const clean = (text: string) =>
		forms.reduce((rest, form) => rest.replaceAll(form, REDACTED), text);
	const walk = (part: unknown, depth = 0): unknown => {
		if (depth > MAX_DEPTH) return REDACTED;
		if (typeof part === 'string') return clean(part);
		if (Array.isArray(part)) return part.map((item) => walk(item, depth + 1));
		if (typeof part !== 'object' || part === null) return part;
		return Object.fromEntries(
			Object.entries(part).map(([key, of]) => [clean(key), walk(of, depth + 1)]),
		);
	};
	return walk(value) as T;
}

/**
 * The same for a text that comes in pieces, between which a secret may be divided. What could be the
 * beginning of one is held back until the next piece tells.
 */
export class PiecewiseRedaction {
	private heldBack = '';

	constructor(private readonly secrets: readonly string[]) {}

	/** @returns what can be shown by now */
	add(piece: string): string {
		const text = redact(this.heldBack + piece, this.secrets);
		const start = beginningOfSecret(text, formsOfAll(this.secrets));
		this.heldBack = text.slice(start);
		return text.slice(0, start);
	}

	/** @returns what was held back, once nothing more comes */
	end(): string {
		const rest = this.heldBack;
		this.heldBack = '';
		return rest;
	}
}

/** Where the end of a text begins that could go on as one of the forms; its length where none could. */
function beginningOfSecret(text: string, forms: string[]): number {
	const longest = Math.max(0, ...forms.map((form) => form.length - 1));
	for (let start = Math.max(0, text.length - longest); start < text.length; start++) {
		const end = text.slice(start);
		if (forms.some((form) => form.startsWith(end))) return start;
	}
	return text.length;
}
