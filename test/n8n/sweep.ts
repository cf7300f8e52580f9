import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hostNode } from './install';
import { formsOf, unescaped } from './sweepForms';

/** The name of a secret that was found, its encoding, and where it was found. */
export interface Finding {
	secret: string;
	form: string;
	where: string;
}

/** Where to search. */
export interface Haystack {
	userFolder?: string;
	texts?: Record<string, string>;
}

function filesBelow(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name));
}

/** Prints each value of a database as a line of JSON: [table and column, value]. */
const DUMP = `
	const { DatabaseSync } = require('node:sqlite');
	const db = new DatabaseSync(process.argv[1], { readOnly: true });
	const text = (value) => value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value);
	for (const { name } of db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all())
		for (const row of db.prepare('SELECT * FROM "' + name + '"').all())
			for (const [column, value] of Object.entries(row))
				console.log(JSON.stringify([name + '.' + column, text(value)]));`;

/**
 * The values of a database by column. SQLite splits a long row over several pages, so a search in the
 * file would not find all secrets. n8n's Node has a driver for SQLite.
 */
function columnsOf(file: string): Array<[where: string, text: string]> {
	const args = ['--no-warnings', '-e', DUMP, file];
	const result = spawnSync(hostNode, args, { encoding: 'utf8', maxBuffer: 2 ** 30 });
	if (result.status !== 0) throw new Error(`Cannot read ${file}: ${result.stderr}`);
	const columns = new Map<string, string[]>();
	for (const line of result.stdout.split('\n').filter(Boolean)) {
		const [column, value] = JSON.parse(line) as [string, string];
		columns.set(column, [...(columns.get(column) ?? []), value]);
	}
	return [...columns].map(([column, values]) => [`${file}: ${column}`, values.join('\n')]);
}

/** A text, and the same text with the escape sequences of JSON, and of JSON inside JSON, decoded. */
function readings(text: string): string[] {
	const plain = text.includes('\\') ? unescaped(text) : text;
	const plainer = plain.includes('\\') ? unescaped(plain) : plain;
	return [...new Set([text, plain, plainer])];
}

/** Searches all files of a user folder, all values of its database, and these texts for secrets. */
export function sweep(secrets: Record<string, string>, haystack: Haystack): Finding[] {
	const { userFolder } = haystack;
	const files = userFolder === undefined ? [] : filesBelow(userFolder);
	const places = [
		...files.map((file): [string, string] => [file, readFileSync(file, 'latin1')]),
		...files.filter((file) => file.endsWith('.sqlite')).flatMap(columnsOf),
		...Object.entries(haystack.texts ?? {}),
	];
	const texts = places.flatMap(([where, text]) => readings(text).map((one) => [where, one]));
	const found = Object.entries(secrets).flatMap(([secret, value]) =>
		formsOf(value).flatMap(([form, needle]) =>
			texts
				.filter(([, text = '']) => text.includes(needle))
				.map(([where = '']): Finding => ({ secret, form, where })),
		),
	);
	return [...new Map(found.map((finding) => [JSON.stringify(finding), finding])).values()];
}
