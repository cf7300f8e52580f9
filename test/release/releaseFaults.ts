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
			: [`The version ${version} is no release: npm would offer it to nobody, or to everybody.`]),
		...(tag === `v${version}`
			? []
			: [`The tag is '${tag}', but package.json says ${version}: it should be 'v${version}'.`]),
		...(lockedVersion === version
			? []
			: [`package-lock.json says ${lockedVersion}, but package.json ${version}.`]),
		...(nameOfFirst === version
			? []
			: [`CHANGELOG.md does not begin with ${version}, but with ${nameOfFirst ?? 'no version'}.`]),
		...(unreleased?.text ? ["CHANGELOG.md still has entries under 'Unreleased'."] : []),
		...formFaults(changelog).map((fault) => `CHANGELOG.md: ${fault}`),
		...benchmarkFaults(benchmarks, digest),
	];
}
