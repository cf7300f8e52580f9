import { fields, type PostField } from './fields';
import type { FieldNames } from './wire';

/** The label of the credential's setting for the name of a field. */
export const settingLabel = ({ property }: PostField) => `${property.displayName} Field`;

/**
 * Reads the names of the fields that the credential changes.
 *
 * @returns the names, and why they cannot be used: a sentence without a period for each
 */
export function readFieldNames(credential: object): { names: FieldNames; issues: string[] } {
	const settings = credential as Record<string, unknown>;
	const names: Record<string, string> = {};
	const issues: string[] = [];
	const fixed = fields.filter(({ setting }) => !setting).map(({ name }) => name);
	const taken = new Set<unknown>([...fixed, 'exclusive']);
	for (const field of fields) {
		const { setting, name } = field;
		if (!setting || !name) continue;
		const given = settings[setting[0]] ?? name;
		const own = typeof given === 'string' ? given.trim() : '';
		if (own === '') issues.push(`'${settingLabel(field)}' is empty`);
		else if (taken.has(own)) {
			issues.push(`'${settingLabel(field)}' is '${own}', which another field already uses`);
		}
		taken.add(own);
		names[name] = own;
	}
	return { names, issues };
}
