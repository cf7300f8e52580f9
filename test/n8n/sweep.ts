import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { hostNode } from './install';

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

/** The end of a long secret that is searched for, because a message may be cut off at its start. */
const TAIL = 24;

/** The spellings of a secret, besides the escape sequences of JSON. */
export function formsOf(secret: string): Array<[form: string, needle: string]> {
	const bytes = Buffer.from(secret);
	const form = new URLSearchParams({ s: secret }).toString().slice(2);
	const percent = [
		form,
		encodeURIComponent(secret),
		encodeURIComponent(encodeURIComponent(secret)),
	];
	// The characters of a text in base64 depend on its offset.
	const base64 = [0, 1, 2].flatMap((offset) => {
		const text = Buffer.from('\0'.repeat(offset) + secret).toString('base64');
		const inner = text.slice(Math.ceil((offset * 4) / 3), -4);
		return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
	});
	const hex = bytes.toString('hex');
	const named = (name: string, ...needles: string[]) =>
		needles.map((needle): [string, string] => [name, needle]);
	return [
		...(secret.length < 2 * TAIL ? [] : named('its end', secret.slice(-TAIL))),
		...named('bytes', bytes.join(',')),
		...named('base64', ...base64),
		...named('hex', hex, hex.toUpperCase()),
		...named(
			'URL-encoded',
			...percent,
			...percent.map((text) => text.replace(/%../g, (byte) => byte.toLowerCase())),
		),
		...named('clear', secret),
	];
}

const single: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

/** Decodes all escape sequences of JSON in a text, for a secret in which only some characters are escaped. */
const unescaped = (text: string): string =>
	text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gs, (_, code?: string, one = '') =>
		code === undefined
			? (single[one as string] ?? String(one))
			: String.fromCharCode(parseInt(code, 16)),
	);

/** A text, and the same text with the escape sequences of JSON, and of JSON inside JSON, decoded. */
function readings(text: string): string[] {
	const plain = text.includes('\\') ? unescaped(text) : text;
	const plainer = plain.includes('\\') ? unescaped(plain) : plain;
	return [...new Set([text, plain, plainer])];
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

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
	const needles = new Map<string, Omit<Finding, 'where'>>();
	for (const [secret, value] of Object.entries(secrets)) {
		for (const [form, needle] of formsOf(value)) needles.set(needle, { secret, form });
	}
	const any = new RegExp([...needles.keys()].map(escaped).join('|'), 'g');
	const found = texts.flatMap(([where = '', text = '']) =>
		[...text.matchAll(any)].map(([needle]): Finding => ({ ...needles.get(needle)!, where })),
	);
	return [...new Map(found.map((finding) => [JSON.stringify(finding), finding])).values()];
}
