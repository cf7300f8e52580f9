/** Lets Node load a package once per process. `nativeRequire` comes from the shared environment. */
module.exports = {
	process: (_, path) => ({ code: `module.exports = nativeRequire(${JSON.stringify(path)});` }),
};
