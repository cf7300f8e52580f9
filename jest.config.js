const { availableParallelism } = require('node:os');

// Errors of nodes are expected in tests, and n8n logs each of them.
process.env.N8N_LOG_LEVEL ??= 'silent';

const swc = [
	'@swc/jest',
	{
		sourceMaps: 'inline',
		jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
		module: { type: 'commonjs' },
	},
];

/** Packages that are loaded once per process. Jest itself must not use them. */
const shared =
	'/node_modules/(n8n-core|n8n-workflow|@n8n|@langchain|zod|luxon|fast-check|hono|@hono|undici|prettier)/';

/** @type {import('jest').Config} */
module.exports = {
	testEnvironment: '<rootDir>/test/jest/sharedEnvironment.js',
	roots: ['unit', 'engine', 'emulator', 'repository'].map((folder) => `<rootDir>/test/${folder}`),
	testMatch: ['**/*.test.ts'],
	transform: { '^.+\\.ts$': swc, [shared]: '<rootDir>/test/jest/nativeModule.js' },
	transformIgnorePatterns: [],
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/test/n8n'],
	testSequencer: '<rootDir>/test/jest/longestFirst.js',
	testTimeout: 120_000,
	maxConcurrency: 20,
	// Tests of the engine mostly wait, for deadlines and resends that really pass. But each worker loads n8n-core.
	maxWorkers: 2 * availableParallelism() + 1,
	workerIdleMemoryLimit: '2GB',
	// On a busy machine, freeing the memory of n8n-core takes longer than Jest's half second, and Jest warns.
	workerGracefulExitTimeout: 30_000,
	coverageProvider: 'v8',
	coverageDirectory: 'coverage',
	coverageReporters: ['text', 'lcovonly'],
	collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
};
