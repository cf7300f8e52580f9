/** Splits a text into the emulator's tokens, which are words with preceding spaces or CJK characters. */
export function pieces(text: string): string[] {
	return text.match(/\s*(?:[\u3400-\u9fff]|[^\s\u3400-\u9fff]+)|\s+$/gu) ?? [];
}

const MAX_LENGTH = 8;

/** Splits tool arguments into short pieces, so that no piece is complete JSON. */
export function splitArguments(text: string): string[] {
	const characters = Array.from(text);
	const length = Math.min(MAX_LENGTH, Math.ceil(characters.length / 2));
	return Array.from({ length: Math.ceil(characters.length / (length || 1)) }, (_, n) =>
		characters.slice(n * length, (n + 1) * length).join(''),
	);
}
