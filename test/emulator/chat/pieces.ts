/** Splits a text into the emulator's tokens: words with the space before them, or CJK characters. */
export function pieces(text: string): string[] {
	return text.match(/\s*(?:[\u3400-\u9fff]|[^\s\u3400-\u9fff]+)|\s+$/gu) ?? [];
}
