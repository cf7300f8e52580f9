import { execFileSync } from 'node:child_process';
import { root } from './repositoryFiles';

/**
 * `npm run lint` shows that the existing imports follow the rules. It does not show that the rules find
 * violations, because a rule for a renamed folder forbids nothing. Each file here has imports that its rules forbid.
 */
const forbidden: Array<[file: string, imports: string[], rule: string]> = [
	['credentials/New.credentials.ts', ['../nodes/SocialOpenPlatform/items/values'], 'zone'],
	['nodes/SocialOpenPlatform/SocialOpenPlatform.node.ts', ['./platform/client'], 'zone'],
	['nodes/SocialOpenPlatform/post/new.ts', ['../chat/model', '../webhook/signature'], 'zone'],
	['nodes/SocialOpenPlatform/chat/new.ts', ['../post/post', '../webhook/receive'], 'zone'],
	['nodes/SocialOpenPlatform/webhook/new.ts', ['../post/post', '../chat/model'], 'zone'],
	['nodes/SocialOpenPlatform/webhook/signature/new.ts', ['../receive'], 'zone'],
	['nodes/SocialOpenPlatform/items/new.ts', ['../post/post'], 'zone'],
	['nodes/SocialOpenPlatform/platform/new.ts', ['../items/values'], 'zone'],
	['nodes/SocialOpenPlatform/platform/response.ts', ['./client'], 'zone'],
	['nodes/SocialOpenPlatform/platform/session.ts', ['./client'], 'import-x/no-cycle'],
	['nodes/SocialOpenPlatform/items/new.ts', ['undici'], 'no-restricted-imports'],
	['nodes/SocialOpenPlatform/platform/response.ts', ['n8n-workflow'], 'no-restricted-imports'],
	['test/emulator/new.ts', ['../../nodes/SocialOpenPlatform/platform/json'], 'zone'],
	['test/host/new.ts', ['../bench/machine'], 'zone'],
];

const ZONE = 'import-x/no-restricted-paths';

/** Lints in another process, because Jest cannot load a configuration that is an ES module. */
const LINT = `
	import { existsSync } from 'node:fs';
	import { ESLint } from 'eslint';
	import tseslint from 'typescript-eslint';
	import config from './eslint.project.mjs';

	const eslint = new ESLint({
		overrideConfigFile: 'eslint.project.mjs',
		overrideConfig: tseslint.configs.disableTypeChecked,
	});
	const reported = [];
	for (const [filePath, imports] of JSON.parse(process.argv[1])) {
		const code = imports.map((target) => \`import '\${target}';\`).join('\\n');
		const [{ messages }] = await eslint.lintText(code, { filePath });
		reported.push(messages);
	}
	const zones = config.flatMap(({ rules }) => rules?.['${ZONE}']?.[1].zones ?? []);
	const paths = zones.flatMap(({ target, from, except = [] }) => [target, from, except].flat());
	console.log(JSON.stringify({ reported, missing: paths.filter((path) => !existsSync(path)) }));
`;

test('The rules for imports find violations, and contain only paths that exist', () => {
	const args = ['--input-type=module', '--eval', LINT, JSON.stringify(forbidden)];
	const output = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
	const { reported, missing } = JSON.parse(output) as {
		reported: Array<Array<{ ruleId: string; line: number }>>;
		missing: string[];
	};
	const found = forbidden.map(([file, imports, rule], index) => [
		file,
		imports.filter((_, line) =>
			reported[index]!.some((one) => {
				return one.line === line + 1 && one.ruleId === rule.replace('zone', ZONE);
			}),
		),
		rule,
	]);
	expect(found).toEqual(forbidden);
	expect(missing).toEqual([]);
}, 120_000);
