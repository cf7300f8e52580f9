/** A problem of a field, or a warning about it. */
export interface Issue {
	/** The label of the field. */
	field: string;
	/** The rest of the message, which begins with the label. */
	message: string;
}

const isDate = (value: object): boolean =>
	value instanceof Date || ('isLuxonDateTime' in value && value.isLuxonDateTime === true);

/**
 * The issue of a value that is not text. Expressions such as `{{ $now }}` and `{{ $json.tags }}`
 * return such values.
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
