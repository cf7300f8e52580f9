import { pieces, splitArguments } from './pieces';
import type { OutputItem, Part } from './responses-output';

/** One `response.*` event with its type and other fields. */
export interface StreamEvent {
	type: string;
	[field: string]: unknown;
}

/** Returns the events that build one item of the output. */
export function itemEvents(item: OutputItem, index: number): StreamEvent[] {
	const at = { item_id: item.id, output_index: index };
	const bare = item.type === 'message' ? { content: [] } : { arguments: '' };
	const begun = { ...item, status: 'in_progress', ...bare };
	return [
		{ type: 'response.output_item.added', output_index: index, item: begun },
		...(item.type === 'message'
			? item.content.flatMap((part, n) => partEvents(part, { ...at, content_index: n }))
			: argumentEvents(item.arguments, at)),
		{ type: 'response.output_item.done', output_index: index, item },
	];
}

function argumentEvents(args: string, at: object): StreamEvent[] {
	return [
		...splitArguments(args).map((delta) => ({
			type: 'response.function_call_arguments.delta',
			...at,
			delta,
		})),
		{ type: 'response.function_call_arguments.done', ...at, arguments: args },
	];
}

function partEvents(part: Part, at: object): StreamEvent[] {
	const added = (bare: object) => ({
		type: 'response.content_part.added',
		...at,
		part: { ...part, ...bare },
	});
	const done = { type: 'response.content_part.done', ...at, part };
	if (part.type === 'refusal') {
		const { refusal } = part;
		return [
			added({ refusal: '' }),
			...pieces(refusal).map((delta) => ({ type: 'response.refusal.delta', ...at, delta })),
			{ type: 'response.refusal.done', ...at, refusal },
			done,
		];
	}
	const { text, logprobs } = part;
	return [
		added({ text: '' }),
		...pieces(text).map((delta) => ({
			type: 'response.output_text.delta',
			...at,
			delta,
			logprobs,
		})),
		{ type: 'response.output_text.done', ...at, text, logprobs },
		done,
	];
}
