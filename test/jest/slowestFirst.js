const Sequencer = require('@jest/test-sequencer').default;

/** Test files that wait longest, for timeouts that really pass. */
const SLOW =
	/(onceKey(Killed|Reserved)|exchangeTimeouts|contradictoryResponses|Connections|Failures|Limits|retries|chatSizes|twoProcesses)\.test/i;

/** In a new clone, Jest does not know how long a file takes. Files that wait start first. */
module.exports = class extends Sequencer {
	sort(tests) {
		const slow = ({ path }) => Number(SLOW.test(path));
		return super.sort(tests).sort((a, b) => slow(b) - slow(a));
	}
};
