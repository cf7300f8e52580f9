import type { DateTime } from 'luxon';
import { FieldReader } from '../../parameters/fieldReader';
import type { Remark } from '../../parameters/parameterError';
import { isNothing, quote } from '../../parameters/values';
import { labels, type LabelledField } from './labels';
import { pastTime, readPublishTime, toPostDate } from './publishTime';

/** The same for a post, which may also be remarkable without being wrong. */
export class PostReader extends FieldReader<LabelledField> {
	readonly warnings: Remark[] = [];

	constructor() {
		super(labels);
	}

	warning(field: LabelledField, message: string): void {
		this.warnings.push({ field: this.labels[field], message });
	}

	/** The time that was understood; one that has passed is a problem. */
	takeTime(value: unknown, timezone: string, now: Date): DateTime | undefined {
		const time = readPublishTime(value, timezone);
		if (!time) {
			const what = isNothing(value) ? 'is empty' : `(${quote(value)}) is not a date and time`;
			this.problem('post_date', `${what}; write it like 2026-12-31T18:00:00, or publish Now`);
			return undefined;
		}
		if (time.note) this.warning('post_date', time.note);
		const passed = pastTime(time.at.toMillis(), toPostDate(time.at), timezone, now.getTime());
		if (passed) this.problems.push(passed);
		return time.at;
	}
}
