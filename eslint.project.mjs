import { existsSync } from 'node:fs';
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

/** The rooms, each with the others that it may import. */
const rooms = {
	post: ['items', 'platform'],
	chat: ['items', 'platform'],
	webhook: ['platform'],
	items: ['platform'],
	platform: [],
};

/** The files that import no n8n, by their rooms: they read and write the wire format. */
const pureFiles = {
	post: ['caption', 'readers', 'htmlEntities', 'media/formats', 'media/limits'],
	items: ['values'],
	chat: ['response'],
	webhook: ['signature/'],
	platform: [
		...['codes', 'connection', 'json', 'outcome'],
		...['response', 'settings', 'signature'],
	],
};

/** The paths of these files and folders. */
const pure = Object.entries(pureFiles).flatMap(([room, names]) =>
	names.map((name) => `${node}/${room}/${name.endsWith('/') ? name.slice(0, -1) : `${name}.ts`}`),
);

const isPure = 'This file is pure: it imports pure files, zod/v4 and node:crypto.';

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
	scan: ['n8n'],
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

/** The paths whose files may not import those of other paths. */
const zones = [
	onlyImports(
		'credentials',
		['credentials', `${node}/platform`, `${node}/post`, `${node}/webhook/signature`],
		'Credentials import the platform, the fields of posts and the signature methods.',
	),
	...['', 'ChatModel', 'Trigger'].map((name, index) =>
		onlyImports(
			`${node}/SocialOpenPlatform${name}.node.ts`,
			[['post', 'chat', 'items'], ['chat'], ['webhook']][index].map((room) => `${node}/${room}`),
			'A node only names the functions of its rooms.',
		),
	),
	...Object.entries(rooms).map(([room, others]) =>
		onlyImports(
			`${node}/${room}`,
			[room, ...others].map((name) => `${node}/${name}`),
			`${room} imports ${others.join(' and ') || 'no other room'}.`,
		),
	),
	...pure.map((file) => onlyImports(file, pure, isPure)),
	onlyImports('nodes', ['nodes'], 'Nodes import nothing outside nodes/.'),
	{
		target: 'test/emulator',
		from: ['credentials', 'nodes'],
		message: 'The emulator has code of its own, or both sides agree on the same mistake.',
	},
	...testZones,
];

// A zone of a renamed path would forbid nothing.
for (const path of zones.flatMap(({ target, from, except = [] }) =>
	[target, from, except].flat(),
)) {
	if (!existsSync(`${root}/${path}`))
		throw new Error(`The rules for imports name ${path}, which does not exist.`);
}

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

/** The names that each operation exports, and that n8n's or the node's files expect. */
const ofOperations = ['begin', 'execute', 'howToRetry', 'description', 'operation', 'operations'];

/** The file of each top-level declaration of the product. */
const declared = new Map();

/** Forbids two top-level declarations of one name, so that a name leads to one place. */
const uniqueNames = {
	create: ({ filename, report, sourceCode }) => ({
		Program(program) {
			const [module] = sourceCode.getScope(program).childScopes;
			for (const { name, defs } of module?.variables ?? []) {
				if (defs[0]?.type === 'ImportBinding' || ofOperations.includes(name)) continue;
				const other = declared.get(name) ?? filename;
				declared.set(name, other);
				if (other !== filename) {
					report({ node: defs[0].name, message: `'${name}' is also declared in ${other}.` });
				}
			}
		},
	}),
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
		plugins: { project: { rules: { 'unique-names': uniqueNames } } },
		rules: { 'project/unique-names': 'error' },
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
			'import-x/no-restricted-paths': [
				'error',
				{
					basePath: root,
					zones,
				},
			],
		},
	},
	{
		files: shipped,
		rules: {
			...onlyPackages(fromTheHost, 'n8n does not provide this package.'),
			// Packages import none of these files.
			'import-x/no-cycle': ['error', { ignoreExternal: true }],
		},
	},
	{
		files: pure.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.ts`)),
		rules: onlyPackages(['zod/v4', 'node:crypto'], isPure),
	},
	{
		// An older n8n lacks the SDK, so only types are imported statically.
		files: [`${node}/SocialOpenPlatformChatModel.node.ts`, `${node}/chat/model*.ts`],
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
