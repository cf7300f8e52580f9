/** The text of a message's content: a string, or parts with a `text` each. */
export function textOf(content: unknown): string {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return '';
	return content
		.map((part: { text?: unknown } | null) => (typeof part?.text === 'string' ? part.text : ''))
		.join('');
}
