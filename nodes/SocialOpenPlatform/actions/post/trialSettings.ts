import { NOT_SENT } from '../../parameters/fieldReader';
import { isNothing, isObject, quote, toJson } from '../../parameters/values';
import { exclusiveSchema } from '../../protocol/post';
import type { PostReader } from './postReader';

const NOT_ROWS =
	'is not a set of rows such as {"setting": [{"graduationStrategy": "MANUAL"}]}; other settings go into Trial Settings (JSON)';

/** Rows of the collection; one row alone may come without a list around it. */
function rowsOf(reader: PostReader, typed: unknown): unknown[] {
	if (isNothing(typed)) return [];
	const { setting, ...others } = Object(typed) as Record<string, unknown>;
	if (!isObject(typed) || Object.keys(others).length > 0) reader.problem('trial_params', NOT_ROWS);
	else if (isNothing(setting) && 'setting' in typed) {
		reader.warning('trial_params', `has no row; ${NOT_SENT}`);
	}
	return isNothing(setting) ? [] : [setting].flat();
}

/** Rows or JSON, not both. The items' shape is assumed: the interface does not show it. */
export function trialSettings(
	reader: PostReader,
	exclusive: Record<string, unknown>,
): unknown[] | undefined {
	const { trialSettings: typed, trialSettingsJson } = exclusive;
	const rows = rowsOf(reader, toJson(typed));
	const json = toJson(trialSettingsJson);
	const isJsonSet = !isNothing(json) && !(Array.isArray(json) && json.length === 0);
	if (rows.length > 0 && isJsonSet) {
		reader.problem('trial_params', 'are filled in as rows and as JSON; keep one of the two');
	}
	const field = rows.length > 0 ? 'trial_params' : 'trialSettingsJson';
	const settings = rows.length > 0 ? rows.map((row, index) => settingOf(reader, row, index)) : json;
	const list = reader.takeList(field, exclusiveSchema.shape.trial_params, settings);
	return list && (reader.takeJson(field, list) as unknown[] | undefined);
}

function settingOf(reader: PostReader, row: unknown, index: number): object {
	const { graduationStrategy } = Object(row) as { graduationStrategy?: unknown };
	const other = Object.keys(Object(row) as object).find((name) => name !== 'graduationStrategy');
	if (isNothing(graduationStrategy)) {
		reader.problem('trial_params', `row ${index + 1} has no Graduation; choose one`);
	} else if (typeof graduationStrategy !== 'string') {
		reader.problem('trial_params', `row ${index + 1} has a Graduation that is not text`);
	} else if (other !== undefined) {
		const what = `row ${index + 1} holds '${quote(other)}', which is not Graduation`;
		reader.problem('trial_params', `${what}; put it into Trial Settings (JSON)`);
	}
	return { graduation_strategy: graduationStrategy };
}
