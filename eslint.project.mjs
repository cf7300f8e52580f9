import { defineConfig, globalIgnores } from 'eslint/config';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import importX from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

const root = import.meta.dirname;
const node = 'nodes/SocialOpenPlatform';

/** The sources that are compiled and published. */
const shipped = ['nodes/**/*.ts', 'credentials/**/*.ts'];

/** Packages that n8n provides. A verified community node must not have dependencies of its own. */
const fromTheHost = ['n8n-workflow', 'luxon', 'lodash', 'zod', 'zod/v4', 'crypto', 'node:crypto'];

const pure = 'The protocol is pure: it imports itself, zod/v4 and node:crypto.';

/** The files that sign requests and verify webhooks. */
const verification = [`${node}/protocol/signature.ts`, `${node}/protocol/webhook`];

/** Allows the files in `target` to import packages and the paths in `itself`, but no other files. */
const onlyImports = (target, itself, message) => ({
	target,
	from: '.',
	except: [...itself, 'node_modules'],
	message,
});

/** The folders of test/, each with the other folders that it may import. */
const testFolders = {
	emulator: [],
	n8n: ['emulator'],
	unit: ['emulator'],
	engine: ['emulator', 'unit'],
	host: ['n8n', 'emulator'],
	demo: ['n8n', 'emulator'],
	bench: ['n8n', 'emulator', 'release'],
	scan: [],
	release: [],
	repository: ['host', 'n8n', 'release', 'scan'],
};

const testZones = Object.entries(testFolders).map(([folder, others]) => ({
	target: `test/${folder}`,
	from: Object.keys(testFolders)
		.filter((name) => name !== folder && !others.includes(name))
		.map((name) => `test/${name}`),
	message: `test/${folder} imports ${others.map((name) => `test/${name}`).join(', ') || 'no other tests'}.`,
}));

/** Allows only these packages, in every form of import. Other rules check relative paths. */
const onlyPackages = (names, message) => {
	const allowed = `\\.|(?:${names.join('|')})$`;
	return {
		'no-restricted-imports': ['error', { patterns: [{ regex: `^(?!${allowed})`, message }] }],
		'no-restricted-syntax': [
			'error',
			// The rule above does not check `import()`. A selector cannot contain a slash.
			{
				selector: `ImportExpression[source.value!=/^(?:${allowed.replaceAll('/', '\\u002F')})/]`,
				message,
			},
		],
	};
};

export default defineConfig(
	globalIgnores(['dist', 'coverage', '.demo', '.host']),
	{ linterOptions: { reportUnusedDisableDirectives: 'error' } },

	// Rules for all TypeScript files
	{
		files: ['**/*.ts'],
		extends: [tseslint.configs.recommendedTypeChecked],
		languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: root } },
		rules: {
			// `const { left, out, ...rest } = all` names the properties that it omits
			'@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
			// n8n's interfaces require promises, even from functions that do not wait
			'@typescript-eslint/require-await': 'off',
			// Static methods such as Luxon's `DateTime.fromISO` do not use `this`
			'@typescript-eslint/unbound-method': ['error', { ignoreStatic: true }],
		},
	},
	{
		// Tests read responses of servers and of n8n, which have no types.
		files: ['test/**/*.ts'],
		rules: {
			'@typescript-eslint/no-unsafe-argument': 'off',
			'@typescript-eslint/no-unsafe-assignment': 'off',
			'@typescript-eslint/no-unsafe-call': 'off',
			'@typescript-eslint/no-unsafe-member-access': 'off',
			'@typescript-eslint/no-unsafe-return': 'off',
		},
	},

	{
		files: shipped,
		// n8n's scanner ignores eslint-disable comments, so they have no effect here either.
		linterOptions: { noInlineConfig: true },
	},

	// Rules for the direction of imports
	{
		files: ['**/*.ts'],
		plugins: { 'import-x': importX },
		settings: {
			...importX.flatConfigs.typescript.settings,
			'import-x/resolver-next': [
				createTypeScriptImportResolver({ project: `${root}/tsconfig.json` }),
			],
		},
		rules: {
			'import-x/no-cycle': 'error',
			'import-x/no-restricted-paths': [
				'error',
				{
					basePath: root,
					zones: [
						onlyImports(
							'credentials',
							['credentials', `${node}/protocol`, `${node}/transport/tokenCache.ts`],
							'Credentials import the protocol and the token cache, and nothing else.',
						),
						onlyImports(
							`${node}/SocialOpenPlatform.node.ts`,
							[`${node}/actions`],
							'The node is a table of contents of its actions.',
						),
						onlyImports(
							`${node}/SocialOpenPlatformChatModel.node.ts`,
							[`${node}/chatModel`],
							'The chat model node is a table of contents of its folder.',
						),
						onlyImports(
							`${node}/SocialOpenPlatformTrigger.node.ts`,
							[`${node}/trigger`],
							'The trigger node is a table of contents of its folder.',
						),
						onlyImports(
							`${node}/trigger`,
							[`${node}/trigger`, `${node}/protocol`],
							'The trigger imports the protocol and nothing else.',
						),
						onlyImports(
							`${node}/actions`,
							[`${node}/actions`, `${node}/parameters`, `${node}/transport`, `${node}/protocol`],
							'Actions import the reading of parameters, the transport and the protocol.',
						),
						onlyImports(
							`${node}/chatModel`,
							[`${node}/chatModel`, `${node}/parameters`, `${node}/transport`, `${node}/protocol`],
							'The chat model imports the reading of parameters, the transport and the protocol.',
						),
						onlyImports(
							`${node}/parameters`,
							[`${node}/parameters`, `${node}/protocol`],
							'The reading of parameters imports the protocol and nothing else.',
						),
						onlyImports(
							`${node}/transport`,
							[`${node}/transport`, `${node}/protocol`],
							'The transport imports the protocol and nothing else.',
						),
						onlyImports(
							`${node}/transport/tokenCache.ts`,
							[`${node}/protocol`],
							'The token cache imports the protocol and nothing else.',
						),
						onlyImports(`${node}/protocol`, [`${node}/protocol`], pure),
						onlyImports('nodes', ['nodes'], 'Nodes import nothing outside nodes/.'),
						{
							target: 'test/emulator',
							from: [
								'credentials',
								`${node}/actions`,
								`${node}/chatModel`,
								`${node}/parameters`,
								`${node}/transport`,
								`${node}/trigger`,
								...verification,
							],
							message:
								'The emulator signs and verifies with code of its own, or both sides agree on the same mistake.',
						},
						...testZones,
					],
				},
			],
		},
	},
	{
		files: shipped,
		rules: onlyPackages(fromTheHost, 'n8n does not provide this package.'),
	},
	{
		files: [`${node}/protocol/**/*.ts`],
		rules: onlyPackages(['zod/v4', 'node:crypto'], pure),
	},
	{
		// An older n8n lacks the SDK, so only types are imported statically.
		files: [`${node}/SocialOpenPlatformChatModel.node.ts`, `${node}/chatModel/**/*.ts`],
		rules: {
			...onlyPackages([...fromTheHost, '@n8n/ai-node-sdk'], 'n8n does not provide this package.'),
			'@typescript-eslint/no-restricted-imports': [
				'error',
				{
					patterns: [
						{
							regex: '^@n8n/ai-node-sdk$',
							allowTypeImports: true,
							message: 'An older n8n does not have it, and would not load the package.',
						},
					],
				},
			],
		},
	},
);
