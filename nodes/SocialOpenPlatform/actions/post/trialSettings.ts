import type { PostReader } from './postReader';
import { isNothing, toJson } from '../../parameters/values';

/** Rows of the collection; one row alone may come without a list around it. */
function rowsOf(typed: unknown): unknown[] {
	const { setting } = (typed ?? {}) as { setting?: unknown };
	return isNothing(setting) ? [] : [setting].flat();
}

/** Rows or JSON, not both. The items' shape is assumed: the interface does not show it. */
export function trialSettings(reader: PostReader, exclusive: Record<string, unknown>): unknown {
	const { trialSettings: typed, trialSettingsJson } = exclusive;
	const rows = rowsOf(typed);
	const json = toJson(trialSettingsJson);
	const isJsonSet = !isNothing(json) && !(Array.isArray(json) && json.length === 0);
	if (rows.length === 0) return json;
	if (isJsonSet) {
		reader.problem('trial_params', 'are filled in as rows and as JSON; keep one of the two');
	}
	return rows.map((row, index) => {
		const { graduationStrategy } = (row ?? {}) as { graduationStrategy?: unknown };
		if (isNothing(graduationStrategy)) {
			reader.problem('trial_params', `row ${index + 1} has no Graduation; choose one`);
		}
		return { graduation_strategy: graduationStrategy };
	});
}
