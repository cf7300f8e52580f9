/** @type {import('jest').Config} */
module.exports = {
	displayName: 'host',
	testEnvironment: 'node',
	rootDir: '../..',
	roots: ['<rootDir>/test/host'],
	testMatch: ['<rootDir>/test/host/*.host.test.ts'],
	modulePathIgnorePatterns: [
		'<rootDir>/test/n8n/node_modules',
		'<rootDir>/test/n8n/floor/node_modules',
		'<rootDir>/dist',
		'<rootDir>/.demo',
	],
	transform: {
		'^.+\\.ts$': [
			'@swc/jest',
			{
				sourceMaps: 'inline',
				jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
				module: { type: 'commonjs' },
			},
		],
	},
	maxWorkers: 1,
	testTimeout: 300_000,
	cacheDirectory: '<rootDir>/.host/jest',
};
