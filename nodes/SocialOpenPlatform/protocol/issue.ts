/** A problem of a field, or a warning about it. */
export interface Issue {
	/** The label of the field. */
	field: string;
	/** The end of a sentence that begins with the label. */
	message: string;
}

const isDate = (value: object): boolean =>
	value instanceof Date || ('isLuxonDateTime' in value && value.isLuxonDateTime === true);

/**
 * The message for a value that is not text. A field with only the expression `{{ $now }}` or
 * `{{ $json.tags }}` has such a value.
 */
export function notText(value: unknown): string {
	if (value === undefined) return 'is empty';
	if (Array.isArray(value)) {
		return "is not text but a list; join it in the expression, such as {{ $json.tags.join(' ') }}";
	}
	if (typeof value !== 'object' || value === null) return 'is not text';
	return isDate(value)
		? "is not text but a date; format it, such as {{ $now.toFormat('d LLLL yyyy') }}"
		: 'is not text but an object; name the field in it that contains the text';
}
