const { BenchFloorTrigger } = require('./BenchFloorTrigger.node.js');

/** The floor of refusing: 401 for everything, without a look at it. */
class BenchRefusalTrigger extends BenchFloorTrigger {
	constructor() {
		super();
		const displayName = 'Bench Refusal Trigger';
		const own = { displayName, name: 'benchRefusalTrigger', defaults: { name: displayName } };
		this.description = { ...this.description, ...own };
	}

	async webhook() {
		this.getResponseObject().status(401).json({ ok: false });
		return { noWebhookResponse: true };
	}
}

module.exports = { BenchRefusalTrigger };
