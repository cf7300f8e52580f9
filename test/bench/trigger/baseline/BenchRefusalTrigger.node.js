const { BenchBaselineTrigger } = require('./BenchBaselineTrigger.node.js');

/** Refuses every delivery with 401. */
class BenchRefusalTrigger extends BenchBaselineTrigger {
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
