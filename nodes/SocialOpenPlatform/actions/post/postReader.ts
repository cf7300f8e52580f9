import type { DateTime } from 'luxon';
import type { INodeProperties } from 'n8n-workflow';
import { FieldReader, NOT_SENT } from '../../parameters/fieldReader';
import { holdsExpression } from '../../parameters/parameterReader';
import { isNothing, isObject, quote, toJson } from '../../parameters/values';
import { postFields } from './create.fields';
import { labels, type LabelledField } from './labels';
import { pastTime, readPublishTime, toPostDate } from './publishTime';

/** Parameters of a node as they are stored, expressions unresolved. */
export type RawParameters = Readonly<Record<string, unknown>>;

const NO_VALUE = 'has an expression that gives no value for this item';
const HOLDS_NOTHING = `has an expression that gives nothing for this item; ${NOT_SENT}`;

/** Reads the fields of a post. Nothing that was filled in is left out without a word. */
export class PostReader extends FieldReader<LabelledField> {
	constructor(private readonly raw: RawParameters) {
		super(labels);
	}

	/**
	 * Checks a field that is left out only on purpose. n8n gives null for an expression that throws, and
	 * a post must not go out without its text because of that.
	 *
	 * @param advice what to do instead of correcting the expression
	 */
	checkGiven(name: string, field: LabelledField, value: unknown, advice: string): void {
		if (!isNothing(value) || !this.isExpression(name)) return;
		if (value === '') this.warning(field, HOLDS_NOTHING);
		else this.problem(field, `${NO_VALUE}; correct it, or ${advice}`);
	}

	/** Entries of a collection, which an expression may give as an object or as its JSON text. */
	takeCollection(name: 'additionalFields' | 'exclusive', given: unknown): Record<string, unknown> {
		if (isNothing(given)) {
			if (this.isExpression(name)) this.warning(name, HOLDS_NOTHING);
			return {};
		}
		const { options = [] } = postFields.find((field) => field.name === name)!;
		const fields = options as INodeProperties[];
		const names = fields.map((field) => field.name);
		const entries = toJson(given);
		if (!isObject(entries)) {
			this.problem(name, `is not an object such as {"${names[0]}": …}`);
			return {};
		}
		for (const [entry, given] of Object.entries(entries)) {
			const field = fields.find((one) => one.name === entry);
			const value = field?.type === 'string' ? given : toJson(given);
			if (isNothing(value) || (Array.isArray(value) && value.length === 0)) {
				const isLeftOut = field !== undefined && this.isExpression(name, entry);
				if (isLeftOut) this.warnings.push({ field: field.displayName, message: HOLDS_NOTHING });
			} else if (field === undefined) {
				this.problem(
					name,
					`holds '${quote(entry)}', which is none of its fields (${names.join(', ')})`,
				);
			}
		}
		return entries;
	}

	/** The time that was understood; one that has passed is a problem. */
	takeTime(value: unknown, timezone: string, now: Date): DateTime | undefined {
		const time = readPublishTime(value, timezone);
		if (!time) {
			this.problem('post_date', notATime(value, timezone));
			return undefined;
		}
		if (time.note) this.warning('post_date', time.note);
		const passed = pastTime(time.at.toMillis(), toPostDate(time.at), timezone, now.getTime());
		if (passed) this.problems.push(passed);
		return time.at;
	}

	private isExpression(name: string, entry?: string): boolean {
		const stored = this.raw[name];
		return holdsExpression(entry !== undefined && isObject(stored) ? stored[entry] : stored);
	}
}

function notATime(value: unknown, timezone: string): string {
	if (!isNothing(value) && readPublishTime(value, 'UTC')) {
		return `(${quote(value)}) has no offset, and the workflow's time zone '${timezone}' is not known; choose another in the workflow's settings, or write the offset, such as 2026-12-31T18:00:00+02:00`;
	}
	const what = isNothing(value) ? 'is empty' : `(${quote(value)}) is not a date and time`;
	return `${what}; write it like 2026-12-31T18:00:00, or publish Now`;
}
