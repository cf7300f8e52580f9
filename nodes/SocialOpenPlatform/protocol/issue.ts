/** A problem of a field, or a warning about it. */
export interface Issue {
	/** The label of the field. */
	field: string;
	/** What is wrong, as the end of a sentence that begins with the label. */
	message: string;
}

const isDate = (value: object): boolean =>
	value instanceof Date || ('isLuxonDateTime' in value && value.isLuxonDateTime === true);

/**
 * The message for a value that should be text. An expression that is nothing but `{{ $now }}` or
 * `{{ $json.tags }}` gives no text.
 */
export function notText(value: unknown): string {
	if (value === undefined) return 'is empty';
	if (Array.isArray(value)) {
		return "is not text but a list; join it in the expression, such as {{ $json.tags.join(' ') }}";
	}
	if (typeof value !== 'object' || value === null) return 'is not text';
	return isDate(value)
		? "is not text but a date; write it out, such as {{ $now.toFormat('d LLLL yyyy') }}"
		: 'is not text but an object; name the field in it that holds the text';
}
