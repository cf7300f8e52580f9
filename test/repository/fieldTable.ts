import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { panelFields, postOptionFields } from '../../nodes/SocialOpenPlatform/post/fields';
import { read } from './documents';
import { root } from './repositoryFiles';

export const PAGE = 'docs/operations.md';

/** The two tables in the page, each from its heading row to the next blank line. */
const TABLES = [/^\| Field +\| Request field[^]*?\n\n/m, /^\| Option +\| Request field[^]*?\n\n/m];

/** Creates a table of fields. */
function tableOf(heading: string, fields: typeof panelFields): string {
	const rows = fields.map(({ name, isExclusive, property }) => {
		const path = name && `\`${isExclusive ? 'exclusive.' : ''}${name}\``;
		const description = property.description!.replace(/\{\{.*?\}\}/g, '`$&`');
		return `| ${property.displayName} | ${path ?? '–'} | ${description} |`;
	});
	return [`| ${heading} | Request field | Description |`, '| - | - | - |', ...rows, '', ''].join(
		'\n',
	);
}

/** Returns the page with the tables that follow from the fields. */
export async function pageWithTables(): Promise<string> {
	const tables = [tableOf('Field', panelFields), tableOf('Option', postOptionFields)];
	const page = TABLES.reduce(
		(text, table, index) => text.replace(table, () => tables[index]!),
		read(PAGE),
	);
	return await format(page, { parser: 'markdown', printWidth: 140, proseWrap: 'preserve' });
}

if (require.main === module) {
	void pageWithTables().then((page) => writeFileSync(join(root, PAGE), page));
}
