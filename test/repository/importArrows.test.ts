import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from './repositoryFiles';

/**
 * `npm run lint` shows that the existing imports follow the rules. It does not show that the rules find
 * violations, because a rule for a renamed folder forbids nothing. Each snippet here breaks one rule.
 */

const node = 'nodes/SocialOpenPlatform';
const zone = 'import-x/no-restricted-paths';

const snippets: Array<{ title: string; file: string; code: string; rule: string }> = [
	...[
		['credentials/New.credentials.ts', `../${node}/items/values`],
		['credentials/New.credentials.ts', `../${node}/webhook/receive`],
		['credentials/New.credentials.ts', '../test/repository/repositoryFiles'],
		[`${node}/SocialOpenPlatform.node.ts`, './platform/client'],
		[`${node}/SocialOpenPlatformChatModel.node.ts`, './items/values'],
		[`${node}/SocialOpenPlatformTrigger.node.ts`, './post/post'],
		[`${node}/post/new.ts`, '../chat/model'],
		[`${node}/post/new.ts`, '../webhook/signature'],
		[`${node}/post/new.ts`, '../SocialOpenPlatform.node'],
		[`${node}/chat/new.ts`, '../post/post'],
		[`${node}/chat/new.ts`, '../webhook/receive'],
		[`${node}/webhook/new.ts`, '../post/post'],
		[`${node}/webhook/new.ts`, '../chat/model'],
		[`${node}/items/new.ts`, '../post/post'],
		[`${node}/platform/new.ts`, '../items/values'],
		[`${node}/platform/new.ts`, '../webhook/receive'],
		[`${node}/platform/response.ts`, './client'],
		[`${node}/webhook/signature/new.ts`, '../receive'],
		[`${node}/post/new.ts`, '../../../test/repository/repositoryFiles'],
		['test/emulator/new.ts', `../../${node}/platform/json`],
		['test/emulator/new.ts', '../unit/hostileValues'],
		['test/n8n/new.ts', '../host/suites'],
		['test/demo/new.ts', '../host/suites'],
		['test/bench/new.ts', '../host/suites'],
		['test/host/new.ts', '../bench/machine'],
		['test/engine/new.ts', '../n8n/hosts'],
	].map(([file = '', target]) => ({
		title: `forbid that ${file} imports ${target}`,
		file,
		code: `import '${target}';`,
		rule: zone,
	})),
	{
		title: 'forbid import cycles',
		file: `${node}/platform/session.ts`,
		code: "import './client';",
		rule: 'import-x/no-cycle',
	},
	{
		title: 'forbid that a pure file imports n8n',
		file: `${node}/platform/response.ts`,
		code: "import 'n8n-workflow';",
		rule: 'no-restricted-imports',
	},
	...[
		["import 'undici';", 'no-restricted-imports'],
		["void import('undici');", 'no-restricted-syntax'],
		["require('undici');", '@typescript-eslint/no-require-imports'],
	].map(([code = '', rule = '']) => ({
		title: `forbid that nodes load a package that n8n does not provide: ${code}`,
		file: `${node}/items/new.ts`,
		code,
		rule,
	})),
	{
		title: 'forbid that credentials import a package that n8n does not provide',
		file: 'credentials/New.credentials.ts',
		code: "import 'n8n-core';",
		rule: 'no-restricted-imports',
	},
	{
		title: "forbid that other files import n8n's SDK",
		file: `${node}/post/new.ts`,
		code: "import '@n8n/ai-node-sdk';",
		rule: 'no-restricted-imports',
	},
	{
		title: "forbid that the chat model imports n8n's SDK when it is loaded",
		file: `${node}/chat/modelNew.ts`,
		code: "import '@n8n/ai-node-sdk';",
		rule: '@typescript-eslint/no-restricted-imports',
	},
];

/**
 * Lints in another process, because Jest cannot load a configuration that is an ES module.
 */
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
	for (const { code, file } of JSON.parse(process.argv[1])) {
		const [{ messages }] = await eslint.lintText(code, { filePath: file });
		reported.push(messages.map(({ ruleId, message }) => ruleId ?? message));
	}
	const zones = config.flatMap(({ rules }) => rules?.['${zone}']?.[1].zones ?? []);
	const paths = zones.flatMap(({ target, from, except = [] }) => [target, from, except].flat());
	const missing = paths.filter((path) => !existsSync(path));
	console.log(JSON.stringify({ reported, paths: paths.length, missing }));
`;

describe('The rules for imports', () => {
	let linted: { reported: string[][]; paths: number; missing: string[] };

	beforeAll(() => {
		const args = ['--input-type=module', '--eval', LINT, JSON.stringify(snippets)];
		linted = JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }));
	}, 120_000);

	test.each(snippets.map((snippet, index) => ({ ...snippet, index })))(
		'$title',
		({ index, rule }) => {
			expect(linted.reported[index]).toContain(rule);
		},
	);

	test('contain only paths that exist', () => {
		expect(linted.paths).toBeGreaterThan(0);
		expect(linted.missing).toStrictEqual([]);
	});
});

test('No file has a generic name', () => {
	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }),
	);
	const genericName = /^(utils?|helpers?|common|shared|GenericFunctions)(\.|$)/i;

	expect(files).not.toHaveLength(0);
	expect(files.filter((file) => genericName.test(basename(file)))).toEqual([]);
});
