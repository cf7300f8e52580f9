const { statSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Starts with the largest file. Jest would start with the files that took longest, most of which wait, so
 * the processors would first wait and later be overloaded.
 */
module.exports = class extends Sequencer {
	sort(tests) {
		const sizeOf = ({ path }) => statSync(path).size;
		return [...tests].sort((a, b) => sizeOf(b) - sizeOf(a));
	}
};
