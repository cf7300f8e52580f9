import { benchmarkFaults } from './benchmarkFaults';
import { formFaults, sectionsOf } from './changelog';

export interface Release {
	/** The git tag, such as `v1.2.3`. */
	tag: string;
	/** The version in package.json. */
	version: string;
	/** The version in package-lock.json. */
	lockedVersion: string;
	/** The text of CHANGELOG.md. */
	changelog: string;
	/** The text of docs/benchmarks.md. */
	benchmarks: string;
	/** The digest of the compiled package. */
	digest: string;
}

/** Reports everything that prevents publishing. */
export function releaseFaults(release: Release): string[] {
	const { tag, version, lockedVersion, changelog, benchmarks, digest } = release;
	const sections = sectionsOf(changelog);
	const nameOfFirst = sections.find(({ name }) => name !== 'Unreleased')?.name;
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
		...(unreleased?.text ? ["CHANGELOG.md still has entries under 'Unreleased'."] : []),
		...formFaults(changelog).map((fault) => `CHANGELOG.md: ${fault}`),
		...benchmarkFaults(benchmarks, digest),
	];
}
