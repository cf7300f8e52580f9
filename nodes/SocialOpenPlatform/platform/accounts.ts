import { fieldsOf, isJsonObject } from './json';

/** Account names by ID, in the order of the credential's rows. */
export type Accounts = ReadonlyMap<string, string>;

/** Maximum number of account names in a message to an AI agent. */
const MAX_NAMES = 30;

/** Maximum length of an account ID, in characters (platform interface, "Limits"). */
const MAX_ID = 128;

/** A row of the credential's Accounts. n8n may omit empty cells. */
type Row = Partial<Record<'name' | 'id', string | null>>;

const isRow = (row: unknown): row is Row =>
	isJsonObject(row) && [row.name, row.id].every((cell) => typeof (cell ?? '') === 'string');

/**
 * Matches whitespace or an invisible character, such as a zero-width space, a direction mark or a
 * byte order mark.
 */
const INVISIBLE = /[\s\p{Cf}]/u;

/**
 * Removes whitespace and invisible characters from both ends of a string, because copied text may
 * contain them.
 */
export function trimInvisible(text: string) {
	let [start, end] = [0, text.length];
	while (start < end && INVISIBLE.test(text[start]!)) start++;
	while (start < end && INVISIBLE.test(text[end - 1]!)) end--;
	return text.slice(start, end);
}

/**
 * Normalizes the whitespace and the accented letters of a name, so that names match if they look
 * the same.
 */
function plainName(name: string) {
	return trimInvisible(name.normalize('NFC')).replace(/\s+/g, ' ');
}

/**
 * Returns the reason why a row of Accounts cannot be used, or undefined if it can.
 *
 * @param known the name of an earlier row with the same ID
 */
function issueOfRow(name: string, id: string, known?: string) {
	if (id === '') return 'has no ID';
	if (name === '') return 'has no name';
	if (id.length > MAX_ID) return `has an ID that is longer than ${MAX_ID} characters`;
	return known === undefined ? undefined : `has the same ID as '${known}'`;
}

/**
 * Reads the credential's Accounts. Empty rows and whitespace around names and IDs are ignored.
 *
 * @returns the usable accounts, and the issues as sentences without periods
 */
export function readAccounts(value: unknown): { accounts: Accounts; issues: string[] } {
	const accounts = new Map<string, string>();
	const { account: rows = [] } = fieldsOf(value);
	if (!isJsonObject(value ?? {}) || !Array.isArray(rows) || !rows.every(isRow)) {
		return { accounts, issues: ["'Accounts' is not a list of rows with a name and an ID"] };
	}
	const issues: string[] = [];
	rows.forEach((row, index) => {
		const [id, name] = [trimInvisible(row.id ?? ''), plainName(row.name ?? '')];
		if (name === '' && id === '') return;
		const issue = issueOfRow(name, id, accounts.get(id));
		if (issue) issues.push(`'Accounts' row ${index + 1} (${name || id}) ${issue}`);
		else accounts.set(id, name);
	});
	return { accounts, issues };
}

/**
 * Returns the accounts as a field's options. Accounts with the same name are shown with their IDs.
 */
export function accountChoices(accounts: Accounts) {
	const counts = new Map<string, number>();
	for (const name of accounts.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
	return [...accounts].map(([value, name]) => ({
		name: counts.get(name) === 1 ? name : `${name} (${value})`,
		value,
	}));
}

/**
 * Finds an account by its ID or its name. Any other value counts as an ID, unless the setting Only
 * Listed Accounts is on.
 *
 * @returns the ID, or an issue that follows the field's label in a message
 */
export function findAccount(
	{ accounts, onlyListedAccounts }: { accounts: Accounts; onlyListedAccounts: boolean },
	given: string,
): { id: string } | { issue: string } {
	const [id = given, another] = matchingIds(accounts, given);
	if (!another && (accounts.has(id) || !onlyListedAccounts)) return { id };
	const issue = another
		? 'is the name of several accounts; use the ID of one of them, or give them different names in the credential'
		: "is not listed in the credential; add it to 'Accounts' there, or turn off 'Only Listed Accounts'";
	return { issue: `(${given}) ${issue}` };
}

/** Returns the IDs of accounts with the given ID or name, or the given value if none matches. */
export function matchingIds(accounts: Accounts, given: string) {
	const name = plainName(given);
	const listed = [...accounts].filter((account) => account[0] === given || account[1] === name);
	return listed.length > 0 ? listed.map(([id]) => id) : [given];
}

/**
 * Returns a clause that tells an AI agent which account names it can use. A name that several
 * accounts share is omitted, because the agent receives no IDs.
 */
export function namesFor(accounts: Accounts) {
	const names = accountChoices(accounts)
		.filter(({ name, value }) => name === accounts.get(value))
		.map(({ name }) => `“${name}”`);
	if (names.length === 0) return 'no account in the credential has a unique name';
	return `use one of these names: ${names.slice(0, MAX_NAMES).join(', ')}`;
}
