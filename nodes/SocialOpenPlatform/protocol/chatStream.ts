import { z } from 'zod/v4';
import { completionSchema, content, jsonText, textIn, type ChatReply } from './chat';

/** A call of a tool, put together from its pieces. `arguments` is JSON text. */
export interface StreamedCall {
	id: string;
	function: { name: string; arguments: string };
}

const text = z.string().nullish().catch(undefined);

const callPiece = z.looseObject({
	index: z.int().optional().catch(undefined),
	id: text,
	function: z.looseObject({ name: text, arguments: jsonText }).nullish().catch(undefined),
});

const delta = z
	.looseObject({ content, refusal: text, tool_calls: z.array(callPiece).nullish().catch([]) })
	.nullish()
	.catch(undefined);

const chunk = z.looseObject({
	...completionSchema.shape,
	choices: z.array(z.looseObject({ finish_reason: text, delta })).catch([]),
	error: z.unknown().optional(),
});

/** What a stream says at its end instead of JSON. */
export const DONE = '[DONE]';

/**
 * Puts the pieces of a streamed completion together. Its shape is assumed, as that of the whole answer:
 * https://platform.openai.com/docs/api-reference/chat-streaming.
 */
export class CompletionStream {
	/** In the order in which they began. */
	private readonly calls: Array<StreamedCall & { index?: number }> = [];

	private readonly reply: ChatReply = { text: '', finishReason: '', toolCalls: [] };

	/** Takes in the JSON of one event; what is none of a completion's adds nothing. @returns added text */
	add(json: unknown): string {
		const read = chunk.safeParse(json);
		if (!read.success) return '';
		const { choices, id, model, usage } = read.data;
		Object.assign(this.reply, {
			...(id && { id }),
			...(model && { model }),
			...(usage && { usage }),
		});
		const [choice] = choices;
		for (const piece of choice?.delta?.tool_calls ?? []) this.addCall(piece);
		this.reply.finishReason = choice?.finish_reason ?? this.reply.finishReason;
		this.reply.refusal = (this.reply.refusal ?? '') + (choice?.delta?.refusal ?? '') || undefined;
		const added = textIn(choice?.delta?.content);
		this.reply.text += added;
		return added;
	}

	/** Whether it has been said how the answer ended. */
	get hasEnded(): boolean {
		return this.reply.finishReason !== '';
	}

	/** What has come so far. */
	whole(): ChatReply {
		const toolCalls = this.calls.map(({ id, function: called }) => ({ id, function: called }));
		return { ...this.reply, toolCalls };
	}

	private addCall(piece: z.infer<typeof callPiece>): void {
		const call = this.begunCall(piece) ?? {
			index: piece.index,
			id: '',
			function: { name: '', arguments: '' },
		};
		if (!this.calls.includes(call)) this.calls.push(call);
		call.id ||= piece.id ?? '';
		call.function.name ||= piece.function?.name ?? '';
		call.function.arguments += piece.function?.arguments ?? '';
	}

	/** Platforms number the calls; where one does not, a new id begins a new call. */
	private begunCall({ index, id }: z.infer<typeof callPiece>) {
		const same = this.calls.findLast((call) => index === undefined || call.index === index);
		const isOther = id && same?.id && same.id !== id;
		return isOther ? this.calls.find((call) => call.id === id) : same;
	}
}
