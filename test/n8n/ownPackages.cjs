/**
 * Preloaded into n8n with --require. Node searches packages in all parent folders, so an n8n inside this
 * project, and the community nodes in it, would also find the packages of the project and of the other
 * n8n. This restricts the search to the folder in OWN_PACKAGES.
 */
const { realpathSync } = require('node:fs');
const Module = require('node:module');
const { dirname, sep } = require('node:path');

// Node resolves symbolic links before it searches.
const own = realpathSync(process.env.OWN_PACKAGES);
const isAbove = (path) => path !== own && own.startsWith(dirname(path) + sep);
const everywhere = Module._nodeModulePaths;
Module._nodeModulePaths = (from) => everywhere(from).filter((path) => !isAbove(path));
