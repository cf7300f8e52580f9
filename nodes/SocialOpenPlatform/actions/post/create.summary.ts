import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

const ON_ITS_OWN =
	'The platform publishes on its own: the status "processing" or "queued" does not say yet that a post is out.';

/** What became of an item: its error's outcome, or accepted. */
function outcomeOf({ json }: INodeExecutionData): string {
	const outcome = (json.details as { outcome?: string } | undefined)?.outcome;
	if (typeof json.error !== 'string' || outcome === undefined) return 'accepted';
	return outcome === 'unknown' ? 'unknown' : 'not accepted';
}

/** Says after a run how many posts were accepted and how many were not, for the output pane. */
export function summarize(output: INodeExecutionData[]): NodeExecutionHint {
	const counts = new Map<string, number>();
	for (const outcome of output.map(outcomeOf)) {
		counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
	}
	const parts = ['accepted', 'not accepted', 'unknown']
		.filter((outcome) => counts.has(outcome))
		.map((outcome) => `${counts.get(outcome)} ${outcome}`);
	const tail = counts.has('accepted') ? ` ${ON_ITS_OWN}` : '';
	return { message: `Posts: ${parts.join(', ')}.${tail}`, location: 'outputPane' };
}
