import { FieldReader } from '../../parameters/fieldReader';
import type { Remark } from '../../parameters/parameterError';
import { isNothing, quote } from '../../parameters/values';
import { labels, type LabelledField } from './labels';
import { readPublishTime, toPostDate } from './publishTime';

/** The same for a post, which may also be remarkable without being wrong. */
export class PostReader extends FieldReader<LabelledField> {
	readonly warnings: Remark[] = [];

	constructor() {
		super(labels);
	}

	warning(field: LabelledField, message: string): void {
		this.warnings.push({ field: this.labels[field], message });
	}

	/** What was understood, as it goes out; a time that has passed is a problem. */
	takeTime(value: unknown, timezone: string, now: Date): string | undefined {
		const time = readPublishTime(value, timezone);
		if (!time) {
			const what = isNothing(value) ? 'is empty' : `(${quote(value)}) is not a date and time`;
			this.problem('post_date', `${what}; write it like 2026-12-31T18:00:00, or publish Now`);
			return undefined;
		}
		const date = toPostDate(time.at);
		if (time.note) this.warning('post_date', time.note);
		if (time.at.toMillis() < now.getTime()) {
			this.problem(
				'post_date',
				`is in the past: it was understood as ${date}; the workflow's time zone is ${timezone}`,
			);
		}
		return date;
	}
}
