const Sequencer = require('@jest/test-sequencer').default;

/** The test file that waits longest. */
const LONGEST = /onceKeyKilled\.test/;

/** Test files that mostly wait, for timeouts that really pass. */
const WAITING =
	/(onceKeyReserved|exchange(Timeouts)?|contradictoryResponses|Connections|Failures|Limits|retries|token|concurrency|twoProcesses)\.test/i;

/** Test files that mostly compute. */
const COMPUTING = /(hostile\w+|Bounds|Mutations|Sizes|Arrows|onceKeyHistory)\.test/;

/**
 * In a new clone, Jest does not know how long a file takes. The long files start first: one that
 * computes for two that wait.
 */
module.exports = class extends Sequencer {
	sort(tests) {
		const sorted = super.sort(tests);
		const matching = (kind) => sorted.filter(({ path }) => kind.test(path));
		const positions = new Map(matching(LONGEST).map((test) => [test, -1]));
		matching(WAITING).forEach((test, index) => positions.set(test, index));
		matching(COMPUTING).forEach((test, index) => positions.set(test, 2 * index + 1.5));
		const position = (test) => positions.get(test) ?? tests.length;
		return sorted.sort((a, b) => position(a) - position(b));
	}
};
