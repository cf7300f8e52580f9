/** Splits a text into the emulator's tokens: words with the space before them, or CJK characters. */
export function pieces(text: string): string[] {
	return text.match(/\s*(?:[\u3400-\u9fff]|[^\s\u3400-\u9fff]+)|\s+$/gu) ?? [];
}

const LONGEST_SHARD = 8;

/** Splits a tool's arguments regardless of words: no part of several is JSON by itself. */
export function shards(text: string): string[] {
	const characters = Array.from(text);
	const length = Math.min(LONGEST_SHARD, Math.ceil(characters.length / 2));
	return Array.from({ length: Math.ceil(characters.length / (length || 1)) }, (_, n) =>
		characters.slice(n * length, (n + 1) * length).join(''),
	);
}
