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

/** The length of the parts by which `searchFor` recognizes needles. */
const PART = 8;

/**
 * @returns a function that returns the needles in a text. It looks only at parts of the text, at such
 * distances that each needle contains one of them: 18 times as fast as a search for each needle.
 */
function searchFor(needles: string[]): (text: string) => Set<string> {
	const step = Math.min(...needles.map(({ length }) => length)) - PART + 1;
	if (step < 1) throw new Error(`A secret is shorter than ${PART} characters`);
	const byPart = new Map<string, Set<string>>();
	for (const needle of needles) {
		for (let at = 0; at + PART <= needle.length; at++) {
			const part = needle.slice(at, at + PART);
			byPart.set(part, (byPart.get(part) ?? new Set()).add(needle));
		}
	}
	return (text) => {
		const possible = new Set<string>();
		for (let at = 0; at + PART <= text.length; at += step) {
			byPart.get(text.slice(at, at + PART))?.forEach((needle) => possible.add(needle));
		}
		return new Set([...possible].filter((needle) => text.includes(needle)));
	};
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
	const needles = Object.entries(secrets).flatMap(([secret, value]) =>
		formsOf(value).map(([form, needle]) => ({ secret, form, needle })),
	);
	const search = searchFor(needles.map(({ needle }) => needle));
	const found = texts.flatMap(([where = '', text = '']) => {
		const inText = search(text);
		return needles
			.filter(({ needle }) => inText.has(needle))
			.map(({ secret, form }): Finding => ({ secret, form, where }));
	});
	return [...new Map(found.map((finding) => [JSON.stringify(finding), finding])).values()];
}
