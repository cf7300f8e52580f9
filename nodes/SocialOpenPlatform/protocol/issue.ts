import { z } from 'zod/v4';

/** Text whose incomplete characters would all be digested and sent as the same one. */
export const wellFormed = z.refine<string>(
	(value) => value.isWellFormed(),
	'contains an incomplete character (a lone surrogate)',
);

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
		return "is a list, not text; join it, for example with {{ $json.tags.join(' ') }}";
	}
	if (typeof value !== 'object' || value === null) return 'is not text';
	return isDate(value)
		? "is a date, not text; format it, for example with {{ $now.toFormat('d LLLL yyyy') }}"
		: 'is an object, not text; name the field in it that contains the text';
}
