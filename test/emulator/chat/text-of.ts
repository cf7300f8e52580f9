/** Returns the text of a message's content, which is a string or a list of parts with `text`. */
export function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : ''))
		.join('');
}
