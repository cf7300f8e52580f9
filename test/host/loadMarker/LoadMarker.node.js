const { appendFileSync } = require('node:fs');

/**
 * Writes the event of an execution to a file, because n8n does not store successful executions in this
 * suite. It does not need the expression engine.
 */
class LoadMarker {
	description = {
		displayName: 'Load Marker',
		name: 'loadMarker',
		group: ['output'],
		version: 1,
		description: 'Writes the event that started the workflow to a file',
		defaults: { name: 'Load Marker' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [],
	};

	async execute() {
		const items = this.getInputData();
		const lines = items.map(({ json }) => `${this.getExecutionId()} ${json.event_id}\n`);
		appendFileSync(process.env.LOAD_MARKS, lines.join(''));
		return [items];
	}
}

module.exports = { LoadMarker };
