import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { stopChildren } from './child';
import { floor } from './hosts';
import { install } from './install';
import { pack, root } from './pack';
import { say, step } from './progress';

/** `npm run test:host [-- --suite posts]`: the packed package in a real n8n. */

const SUFFIX = '.host.test.ts';

const suites = (): string[] =>
	readdirSync(__dirname)
		.filter((name) => name.endsWith(SUFFIX))
		.map((name) => basename(name, SUFFIX));

async function main(): Promise<number> {
	const { values } = parseArgs({
		options: { suite: { type: 'string', multiple: true }, help: { type: 'boolean' } },
	});
	const wanted = values.suite ?? suites();
	const unheardOf = wanted.filter((name) => !suites().includes(name));
	if (values.help || unheardOf.length > 0) {
		unheardOf.forEach((name) => say(`There is no suite '${name}'.`));
		say(`Usage: npm run test:host [-- --suite NAME], NAME one of: ${suites().join(', ')}`);
		say('FAULT_SEEDS=20 in the environment gives the suite faults 20 seeds instead of 5.');
		return unheardOf.length > 0 ? 2 : 0;
	}
	await install();
	if (wanted.includes('floor')) await install(floor);
	process.env.HOST_TARBALL = await step('Building and packing the package', pack);
	say(`• Running ${wanted.length} of ${suites().length} suites: ${wanted.join(', ')}`);
	const files = wanted.map((name) => join(__dirname, `${name}${SUFFIX}`));
	const args = ['--config', join(__dirname, 'jest.config.js'), '--verbose', '--runTestsByPath'];
	const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js');
	const { status } = spawnSync(process.execPath, [jest, ...args, ...files], {
		cwd: root,
		stdio: ['ignore', 'inherit', 'inherit'],
	});
	say(status === 0 ? `All passed: ${wanted.join(', ')}` : 'Not all passed; see above.');
	return status ?? 1;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
	process.once(signal, () => void stopChildren().then(() => process.exit(130)));
}
main().then(
	(code) => process.exit(code),
	(error: Error) => {
		say(`\n${error.message}`);
		process.exit(1);
	},
);
