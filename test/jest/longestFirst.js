const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Starts with the files whose tests wait at the same time, then with the largest file. Jest would start with all
 * files that took long, most of which wait, so the processors would first wait and later be overloaded.
 */
module.exports = class extends Sequencer {
	sort(tests) {
		const lengthOf = ({ path }) => {
			const text = readFileSync(path, 'utf8');
			return text.length + (text.includes('test.concurrent') ? 1e6 : 0);
		};
		const lengths = new Map(tests.map((test) => [test, lengthOf(test)]));
		return [...tests].sort((a, b) => lengths.get(b) - lengths.get(a));
	}
};
