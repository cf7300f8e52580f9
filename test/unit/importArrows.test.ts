import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const root = join(__dirname, '../..');
const node = 'nodes/SocialOpenPlatform';

const arrows = [
	{
		title: 'the protocol does not import the transport',
		file: `${node}/protocol/new.ts`,
		code: "import '../transport/request';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the protocol does not import n8n',
		file: `${node}/protocol/new.ts`,
		code: "import 'n8n-workflow';",
		rule: 'no-restricted-imports',
	},
	{
		title: 'the protocol imports zod/v4, node:crypto and itself',
		file: `${node}/protocol/new.ts`,
		code: "import 'node:crypto';\nimport 'zod/v4';\nimport './signature';",
		rule: undefined,
	},
	{
		title: 'the transport does not import actions',
		file: `${node}/transport/new.ts`,
		code: "import '../actions/router';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'actions do not import credentials',
		file: `${node}/actions/new.ts`,
		code: "import '../../../credentials/SocialOpenPlatformApi.credentials';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'actions do not import the node that lists them',
		file: `${node}/actions/new.ts`,
		code: "import '../SocialOpenPlatform.node';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'actions import the transport and the protocol',
		file: `${node}/actions/new.ts`,
		code: "import '../protocol/signature';\nimport '../transport/request';",
		rule: undefined,
	},
	{
		title: 'the node does not import the transport past its actions',
		file: `${node}/SocialOpenPlatform.node.ts`,
		code: "import './transport/request';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the trigger node does not import actions',
		file: `${node}/SocialOpenPlatformTrigger.node.ts`,
		code: "import './actions/router';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the trigger does not import the transport',
		file: `${node}/trigger/new.ts`,
		code: "import '../transport/request';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the trigger imports the protocol',
		file: `${node}/trigger/new.ts`,
		code: "import '../protocol/webhook';",
		rule: undefined,
	},
	{
		title: 'the chat model node does not import the transport past its folder',
		file: `${node}/SocialOpenPlatformChatModel.node.ts`,
		code: "import './transport/request';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the chat model does not import actions',
		file: `${node}/chatModel/new.ts`,
		code: "import '../actions/openLine';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the chat model imports the reading of parameters, the transport and the protocol',
		file: `${node}/chatModel/new.ts`,
		code: "import '../parameters/pace';\nimport '../protocol/chat';\nimport '../transport/request';",
		rule: undefined,
	},
	{
		title: "the chat model does not import n8n's SDK at the top",
		file: `${node}/chatModel/new.ts`,
		code: "import '@n8n/ai-node-sdk';",
		rule: '@typescript-eslint/no-restricted-imports',
	},
	{
		title: "the chat model imports the types of n8n's SDK, and the SDK lazily",
		file: `${node}/chatModel/new.ts`,
		code: "import type {} from '@n8n/ai-node-sdk';\nvoid import('@n8n/ai-node-sdk');",
		rule: undefined,
	},
	{
		title: "actions do not import n8n's SDK",
		file: `${node}/actions/new.ts`,
		code: "import '@n8n/ai-node-sdk';",
		rule: 'no-restricted-imports',
	},
	{
		title: "actions do not import n8n's SDK lazily either",
		file: `${node}/actions/new.ts`,
		code: "void import('@n8n/ai-node-sdk');",
		rule: 'no-restricted-syntax',
	},
	{
		title: 'actions do not import the chat model',
		file: `${node}/actions/new.ts`,
		code: "import '../chatModel/asker';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the reading of parameters does not import the transport',
		file: `${node}/parameters/new.ts`,
		code: "import '../transport/request';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the transport does not import the reading of parameters',
		file: `${node}/transport/new.ts`,
		code: "import '../parameters/pace';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the transport does not import the trigger',
		file: `${node}/transport/new.ts`,
		code: "import '../trigger/receive';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'credentials do not import the transport',
		file: 'credentials/New.credentials.ts',
		code: `import '../${node}/transport/request';`,
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'credentials import the protocol',
		file: 'credentials/New.credentials.ts',
		code: `import '../${node}/protocol/signature';`,
		rule: undefined,
	},
	{
		title: 'nodes do not import tests',
		file: `${node}/New.node.ts`,
		code: "import '../../test/unit/importArrows.test';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'credentials do not import tests',
		file: 'credentials/New.credentials.ts',
		code: "import '../test/unit/importArrows.test';",
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the emulator does not import the signature it checks',
		file: 'test/emulator/new.ts',
		code: `import '../../${node}/protocol/signature';`,
		rule: 'import-x/no-restricted-paths',
	},
	...['webhook', 'signatureRecipe', 'signatureText', 'signedContent', 'callbackFields'].map(
		(file) => ({
			title: `the emulator does not import how webhooks are verified: ${file}`,
			file: 'test/emulator/new.ts',
			code: `import '../../${node}/protocol/${file}';`,
			rule: 'import-x/no-restricted-paths',
		}),
	),
	{
		title: 'the emulator does not import the transport',
		file: 'test/emulator/new.ts',
		code: `import '../../${node}/transport/request';`,
		rule: 'import-x/no-restricted-paths',
	},
	{
		title: 'the emulator does not import actions',
		file: 'test/emulator/new.ts',
		code: `import '../../${node}/actions/router';`,
		rule: 'import-x/no-restricted-paths',
	},
	...['chatModel/asker', 'parameters/pace'].map((file) => ({
		title: `the emulator does not import how models are asked: ${file}`,
		file: 'test/emulator/new.ts',
		code: `import '../../${node}/${file}';`,
		rule: 'import-x/no-restricted-paths',
	})),
	{
		title: "the emulator imports the protocol's schemas",
		file: 'test/emulator/new.ts',
		code: `import '../../${node}/protocol/post';`,
		rule: undefined,
	},
	{
		title: 'no file imports itself by a detour',
		file: `${node}/actions/router.ts`,
		code: "import '../SocialOpenPlatform.node';",
		rule: 'import-x/no-cycle',
	},
	{
		title: 'nodes do not import a package that n8n does not bring along',
		file: `${node}/actions/new.ts`,
		code: "import 'undici';",
		rule: 'no-restricted-imports',
	},
	{
		title: 'nodes do not import such a package lazily either',
		file: `${node}/actions/new.ts`,
		code: "void import('undici');",
		rule: 'no-restricted-syntax',
	},
	{
		title: 'nodes do not require such a package either',
		file: `${node}/actions/new.ts`,
		code: "require('undici');",
		rule: '@typescript-eslint/no-require-imports',
	},
	{
		title: 'credentials do not import a package that n8n does not bring along',
		file: 'credentials/New.credentials.ts',
		code: "import 'n8n-core';",
		rule: 'no-restricted-imports',
	},
	...['node:fs', 'fs', 'node:child_process', 'node:os'].map((name) => ({
		title: `nodes do not import ${name}: files and the machine are none of their business`,
		file: `${node}/actions/new.ts`,
		code: `import '${name}';`,
		rule: 'no-restricted-imports',
	})),
	...['process.env.HOME', 'setTimeout(String, 1)', 'globalThis.process'].map((code) => ({
		title: `nodes do not use ${code}`,
		file: `${node}/actions/new.ts`,
		code: `void ${code};`,
		rule: '@n8n/community-nodes/no-restricted-globals',
	})),
	{
		title: 'nodes import what n8n brings along',
		file: `${node}/actions/new.ts`,
		code: "import 'luxon';\nimport 'n8n-workflow';\nimport 'zod';\nvoid import('zod/v4');",
		rule: undefined,
	},
] as const;

/** Each snippet as if it stood in its file. In a process of its own: Jest cannot load an ES module config. */
const LINT = `
	import { ESLint } from 'eslint';
	import tseslint from 'typescript-eslint';

	const eslint = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked });
	const snippets = JSON.parse(process.argv[1]);
	const results = [];
	for (const { code, file } of snippets) {
		const [result] = await eslint.lintText(code, { filePath: file });
		results.push(result.messages.map(({ ruleId, message }) => ruleId ?? message));
	}
	console.log(JSON.stringify(results));
`;

describe('imports run one way', () => {
	const reported = new Map<string, string[]>();

	beforeAll(() => {
		const args = ['--input-type=module', '--eval', LINT, JSON.stringify(arrows)];
		const output = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
		for (const [index, rules] of (JSON.parse(output) as string[][]).entries()) {
			reported.set(arrows[index]?.title ?? '', rules);
		}
	}, 60_000);

	test.each(arrows)('$title', ({ title, rule }) => {
		if (rule) expect(reported.get(title)).toContain(rule);
		else expect(reported.get(title)).toEqual([]);
	});
});

test('a file is named after the one thing in it, not after being handy', () => {
	const files = ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }),
	);
	const handy = /^(utils?|helpers?|common|shared|GenericFunctions)(\.|$)/i;

	expect(files).not.toHaveLength(0);
	expect(files.filter((file) => handy.test(basename(file)))).toEqual([]);
});
