import { formFaults, NOT_YET, sectionsOf } from './changelog';

export interface Release {
	/** The git tag, such as `v1.2.3`. */
	tag: string;
	/** The version in package.json. */
	version: string;
	/** The version in package-lock.json. */
	lockedVersion: string;
	/** The text of CHANGELOG.md. */
	changelog: string;
}

/** Reports everything that prevents publishing. */
export function releaseFaults(release: Release): string[] {
	const { tag, version, lockedVersion, changelog } = release;
	const sections = sectionsOf(changelog);
	const first = sections.find(({ name }) => name !== 'Unreleased');
	const nameOfFirst = first?.name;
	const unreleased = sections.find(({ name }) => name === 'Unreleased');
	return [
		...(/^\d+\.\d+\.\d+$/.test(version)
			? []
			: [`The version ${version} is not a release version such as 1.2.3.`]),
		...(tag === `v${version}`
			? []
			: [`The tag is '${tag}', but the version in package.json requires 'v${version}'.`]),
		...(lockedVersion === version
			? []
			: [`The version is ${lockedVersion} in package-lock.json, but ${version} in package.json.`]),
		...(nameOfFirst === version
			? []
			: [`The newest version in CHANGELOG.md is ${nameOfFirst ?? 'missing'}, not ${version}.`]),
		...(first?.date === NOT_YET ? [`CHANGELOG.md says that ${version} is ${NOT_YET}.`] : []),
		...(unreleased?.text ? ["CHANGELOG.md still has entries under 'Unreleased'."] : []),
		...formFaults(changelog).map((fault) => `CHANGELOG.md: ${fault}`),
	];
}
