import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format } from 'prettier';
import { fields } from '../../nodes/SocialOpenPlatform/post/fields';
import { read } from './documents';
import { root } from './repositoryFiles';

const PAGE = 'docs/operations.md';

/** The two tables in the page, each from its heading row to the next blank line. */
const TABLES = [/^\| Field +\| Request field[^]*?\n\n/m, /^\| Option +\| Request field[^]*?\n\n/m];

/** Creates a table of fields from the rows in `post/fields.ts`. */
function tableOf(heading: string, isOption: boolean): string {
	const rows = fields
		.filter((field) => field.isOption === isOption)
		.map(({ body, exclusive, property }) => {
			const name = body ?? (exclusive && `exclusive.${exclusive}`);
			const description = property.description!.replace(/\{\{.*?\}\}/g, '`$&`');
			return `| ${property.displayName} | ${name ? `\`${name}\`` : '–'} | ${description} |`;
		});
	return [`| ${heading} | Request field | Description |`, '| - | - | - |', ...rows, '', ''].join(
		'\n',
	);
}

/** Returns the page with the tables that follow from the fields. */
async function pageWithTables(): Promise<string> {
	const tables = [tableOf('Field', false), tableOf('Option', true)];
	const page = TABLES.reduce(
		(text, table, index) => text.replace(table, () => tables[index]!),
		read(PAGE),
	);
	return await format(page, { parser: 'markdown', printWidth: 140, proseWrap: 'preserve' });
}

// With --check, the page is only compared.
void pageWithTables().then((page) => {
	if (!process.argv.includes('--check')) writeFileSync(join(root, PAGE), page);
	else if (page !== read(PAGE)) process.exitCode = 1;
});
