import { execFileSync } from 'node:child_process';
import { root } from './repositoryFiles';

const ZONE = 'import-x/no-restricted-paths';
const CYCLE = 'import-x/no-cycle';

/**
 * `npm run lint` shows that the existing imports follow the rules. It does not show that the rules find
 * violations, because a rule for a renamed folder forbids nothing. Each file here has imports that its rules forbid.
 */
const forbidden: Array<[file: string, imports: string[], rule: string]> = [
	['credentials/New.credentials.ts', ['../nodes/SocialOpenPlatform/items/values'], ZONE],
	['nodes/SocialOpenPlatform/SocialOpenPlatform.node.ts', ['./platform/client'], ZONE],
	['nodes/SocialOpenPlatform/post/new.ts', ['../chat/model', '../webhook/signature'], ZONE],
	['nodes/SocialOpenPlatform/chat/new.ts', ['../post/post', '../webhook/receive'], ZONE],
	[
		'nodes/SocialOpenPlatform/webhook/new.ts',
		['../post/post', '../chat/model', '../items/values'],
		ZONE,
	],
	['nodes/SocialOpenPlatform/webhook/signature/new.ts', ['../receive'], ZONE],
	['nodes/SocialOpenPlatform/items/new.ts', ['../post/post'], ZONE],
	['nodes/SocialOpenPlatform/platform/new.ts', ['../items/values'], ZONE],
	['nodes/SocialOpenPlatform/platform/response.ts', ['./client'], ZONE],
	['nodes/SocialOpenPlatform/platform/session.ts', ['./client'], CYCLE],
	['nodes/SocialOpenPlatform/items/new.ts', ['undici'], 'no-restricted-imports'],
	['nodes/SocialOpenPlatform/platform/response.ts', ['n8n-workflow'], 'no-restricted-imports'],
	['test/emulator/new.ts', ['../../nodes/SocialOpenPlatform/platform/json'], ZONE],
	['test/host/new.ts', ['../bench/machine'], ZONE],
];

/** Lints in another process, because Jest cannot load a configuration that is an ES module. */
const LINT = `
	import { existsSync } from 'node:fs';
	import { ESLint } from 'eslint';
	import tseslint from 'typescript-eslint';
	import config from './eslint.project.mjs';

	const forbidden = JSON.parse(process.argv[1]);
	const cyclic = forbidden.filter(([, , rule]) => rule === '${CYCLE}').map(([file]) => file);
	const eslint = new ESLint({
		overrideConfigFile: 'eslint.project.mjs',
		overrideConfig: [
			tseslint.configs.disableTypeChecked,
			// To find cycles, ESLint parses all files that a file imports, which takes most of the time.
			{ ignores: cyclic, rules: { '${CYCLE}': 'off' } },
		],
	});
	const reported = [];
	for (const [filePath, imports] of forbidden) {
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
			reported[index]!.some((one) => one.line === line + 1 && one.ruleId === rule),
		),
		rule,
	]);
	expect(found).toEqual(forbidden);
	expect(missing).toEqual([]);
}, 120_000);
