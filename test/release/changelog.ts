/** A section of CHANGELOG.md, whose format is https://keepachangelog.com/en/1.1.0/. */
export interface Section {
	/** `Unreleased`, or a version such as `1.2.3`. */
	name: string;
	/** A date such as `2026-12-31`, or {@link NOT_YET}. Empty for Unreleased. */
	date: string;
	/** The trimmed text below the heading. */
	text: string;
}

/** The date of a version that is prepared. It has no link, because its tag does not exist. */
export const NOT_YET = 'not released yet';

const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

const HEADING = /^(?:(Unreleased)|\[(\d+\.\d+\.\d+)\] - (\d{4}-\d{2}-\d{2}|not released yet))$/;

const LINK = /^\[[^\]]+\]: \S+$/gm;

/** All headings of the second level, including invalid ones. */
function headings(changelog: string): Array<{ title: string; text: string }> {
	const [, ...parts] = changelog.split(/^## /m);
	return parts.map((part) => {
		const [title = '', ...lines] = part.split('\n');
		return { title, text: lines.join('\n').replace(LINK, '').trim() };
	});
}

/** The valid sections in their order, which is newest first. */
export function sectionsOf(changelog: string): Section[] {
	return headings(changelog).flatMap(({ title, text }) => {
		const [match, unreleased, version, date = ''] = HEADING.exec(title) ?? [];
		return match ? [{ name: (unreleased ?? version)!, date, text }] : [];
	});
}

/** Reports violations of the format. */
export function formFaults(changelog: string): string[] {
	const sections = sectionsOf(changelog);
	const released = sections.filter(({ name, date }) => name !== 'Unreleased' && date !== NOT_YET);
	const links = [...changelog.matchAll(LINK)].map(([link]) => link);
	return [
		...(changelog.startsWith('# Changelog\n') ? [] : ["It does not begin with '# Changelog'."]),
		...headings(changelog)
			.filter(({ title }) => !HEADING.test(title))
			.map(
				({ title }) => `'${title}' is neither 'Unreleased' nor of the form '[1.2.3] - 2026-12-31'.`,
			),
		...(sections.findLastIndex(({ name }) => name === 'Unreleased') > 0
			? ["'Unreleased' is not the first section, or exists twice."]
			: []),
		...sections.flatMap(groupFaults),
		...released.flatMap((section, index) => orderFaults(section, released[index + 1])),
		...released
			.filter(
				({ name }) => !links.some((link) => new RegExp(`^\\[${name}\\]: .*v${name}$`).test(link)),
			)
			.map(({ name }) => `'[${name}]' has no link to v${name} at the end of the file.`),
	];
}

/** Checks that a section contains only known groups, each once and with entries. */
function groupFaults({ name, text }: Section): string[] {
	const [before = '', ...groups] = text.split(/^### /m);
	const kinds = groups.map((group) => group.split('\n')[0]!);
	return [
		...(before.trim() ? [`'${name}' has text outside of its groups.`] : []),
		...kinds
			.filter((kind) => !KINDS.includes(kind))
			.map((kind) => `'${kind}' in '${name}' is not one of ${KINDS.join(', ')}.`),
		...kinds
			.filter((kind, index) => kinds.indexOf(kind) < index)
			.map((kind) => `'${name}' contains '${kind}' twice.`),
		...groups
			.filter((group) => !/^- \S/m.test(group))
			.map((group) => `'${group.split('\n')[0]}' in '${name}' is empty.`),
	];
}

function orderFaults(newer: Section, older?: Section): string[] {
	const at = new Date(newer.date);
	const isDate = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(newer.date);
	return [
		...(isDate ? [] : [`'${newer.date}' of '${newer.name}' is not a date.`]),
		...(older && newer.date < older.date ? [`'${newer.name}' is older than '${older.name}'.`] : []),
		...(older && compareVersions(newer.name, older.name) <= 0
			? [`'${newer.name}' does not come after '${older.name}'.`]
			: []),
	];
}

/** Returns a negative number if `one` is the lower version. */
function compareVersions(one: string, other: string): number {
	const [a, b] = [one, other].map((version) => version.split('.').map(Number)) as [
		number[],
		number[],
	];
	return a.map((part, index) => part - b[index]!).find((difference) => difference !== 0) ?? 0;
}
