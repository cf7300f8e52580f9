import type { PostReader } from './postReader';
import { isNothing, toJson } from './values';

/** Rows or JSON, not both. The items' shape is assumed: the interface does not show it. */
export function trialSettings(reader: PostReader, exclusive: Record<string, unknown>): unknown {
	const { trialSettings: typed, trialSettingsJson } = exclusive;
	const rows = (typed as { setting?: Array<Record<string, unknown>> } | undefined)?.setting ?? [];
	const json = toJson(trialSettingsJson);
	if (rows.length > 0 && !isNothing(json)) {
		reader.problem('trial_params', 'are filled in as rows and as JSON; keep one of the two');
	}
	return rows.length > 0
		? rows.map((row) => ({ graduation_strategy: row.graduationStrategy }))
		: json;
}
