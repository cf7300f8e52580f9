import { z } from 'zod/v4';

/** The schema of a switch. An expression may return it as text. */
export const flag = z.preprocess((value) => {
	if (value === 'true') return true;
	return value === 'false' ? false : value;
}, z.boolean('must be true or false'));

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
function notText(value: unknown): string {
	if (value === undefined) return 'is empty';
	if (typeof value === 'number') {
		return Number.isFinite(value)
			? 'is a number that has lost some of its digits; enter it as text'
			: 'is not a finite number';
	}
	if (Array.isArray(value)) {
		return "is a list, not text; join it, for example with {{ $json.tags.join(' ') }}";
	}
	if (typeof value !== 'object' || value === null) return 'is not text';
	return isDate(value)
		? "is a date, not text; format it, for example with {{ $now.toFormat('d LLLL yyyy') }}"
		: 'is an object, not text; name the field in it that contains the text';
}

/** The schema of a text. All its incomplete characters would be digested and sent as the same one. */
export const text = z
	.string({ error: ({ input }) => notText(input) })
	.refine((value) => value.isWellFormed(), 'contains an incomplete character (a lone surrogate)');
