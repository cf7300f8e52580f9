const { availableParallelism } = require('node:os');

const swc = [
	'@swc/jest',
	{
		sourceMaps: 'inline',
		jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
		module: { type: 'commonjs' },
	},
];

/** What both projects share: TypeScript through swc, Node, tests found by their folder. */
const project = (name, folders) => ({
	displayName: name,
	testEnvironment: 'node',
	roots: folders.map((folder) => `<rootDir>/test/${folder}`),
	testMatch: ['**/*.test.ts'],
	transform: { '^.+\\.ts$': swc },
	testPathIgnorePatterns: ['/node_modules/', '/dist/'],
});

/** @type {import('jest').Config} */
module.exports = {
	projects: [project('unit', ['unit', 'emulator', 'repository']), project('engine', ['engine'])],
	modulePathIgnorePatterns: ['<rootDir>/dist', '<rootDir>/test/n8n'],
	testTimeout: 30_000,
	// The engine's tests mostly wait, for resends, limits and timeouts that really pass.
	maxWorkers: Math.max(6, availableParallelism()),
	workerIdleMemoryLimit: '1GB',
	coverageProvider: 'v8',
	coverageDirectory: 'coverage',
	coverageReporters: ['text', 'lcovonly'],
	collectCoverageFrom: ['nodes/**/*.ts', 'credentials/**/*.ts'],
	coverageThreshold: { global: { lines: 95 } },
};
