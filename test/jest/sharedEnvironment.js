const { AsyncLocalStorage } = require('node:async_hooks');
const vm = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');

const { compileFunction } = vm;
const contexts = new WeakSet();

const warnings = [];
process.on('warning', (warning) => warnings.push(warning));

// Jest compiles each file for the context of its environment, again for each test file. Without
// `parsingContext`, Node uses the process's own context, where a file is compiled once.
const compiled = new Map();
vm.compileFunction = (code, parameters, options) => {
	if (!contexts.has(options?.parsingContext)) return compileFunction(code, parameters, options);
	const { filename } = options;
	if (compiled.get(filename)?.code !== code) {
		const run = compileFunction(code, parameters, { ...options, parsingContext: undefined });
		compiled.set(filename, { code, run });
	}
	return compiled.get(filename).run;
};

// Each promise takes the values of all storages that were used, until they are disabled.
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...given) {
	storages.add(this);
	return run.apply(this, given);
};

// The package checks its keys for up to a minute after a run. A worker must not wait for such a timer at
// its end; until then, its connection to Jest keeps it alive.
if (process.send) {
	const { setTimeout: start } = globalThis;
	const withoutWaiting = (...given) => start(...given).unref();
	globalThis.setTimeout = Object.defineProperties(
		withoutWaiting,
		Object.getOwnPropertyDescriptors(start),
	);
}

/**
 * Runs all test files of a process in the process's own context, so that they can share n8n-core. Jest
 * would otherwise load n8n-core for each file, which takes longer than most tests. Files of this
 * repository are still loaded for each test file.
 */
module.exports = class extends TestEnvironment {
	constructor(config, context) {
		super(config, context);
		contexts.add(this.context);
		this.global = globalThis;
		this.global.nativeRequire = require;
		this.fakeTimersModern = new ModernFakeTimers({
			config: config.projectConfig,
			global: globalThis,
		});
	}

	/** Jest records up to 100 calls for each error and each `expect`. Node's own limit takes less time. */
	async setup() {
		await super.setup();
		Error.stackTraceLimit = 10;
	}

	/**
	 * Removes what Jest adds for each test file and leaves to the end of its context: without this, each file
	 * takes longer than the one before. A warning of Node, such as the one about too many listeners, fails the file.
	 */
	async teardown() {
		await super.teardown();
		delete globalThis[Symbol.for('EVENT_HANDLERS')];
		for (const storage of storages) storage.disable();
		storages.clear();
		if (warnings.length > 0) throw new Error(warnings.splice(0).join('\n'));
	}
};
