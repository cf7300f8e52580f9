/**
 * Node looks for a package in every folder above, so that an n8n that lies in this project would find
 * the project's packages, too, and the floor those of the newest; and what a community node imports
 * is looked for wherever n8n looks. Given to n8n's Node with --require, this keeps it to the folder
 * that OWN_PACKAGES names, as if nothing lay above it.
 */
const Module = require('node:module');
const { dirname, sep } = require('node:path');

const own = process.env.OWN_PACKAGES;
const isAbove = (path) => path !== own && own.startsWith(dirname(path) + sep);
const everywhere = Module._nodeModulePaths;
Module._nodeModulePaths = (from) => everywhere(from).filter((path) => !isAbove(path));
