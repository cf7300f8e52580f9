import { z } from 'zod/v4';
import {
	calls,
	choice,
	completionSchema,
	content,
	holdsMore,
	isWhole,
	jsonText,
	textIn,
	whatIsBroken,
	type ChatReply,
} from './chat';

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
	.looseObject({
		content,
		refusal: text,
		tool_calls: calls.pipe(z.array(callPiece.catch({}))),
		function_call: z.unknown(),
	})
	.nullish()
	.catch(undefined);

const chunk = z.looseObject({
	...completionSchema.shape,
	choices: z.array(choice.extend({ delta })).catch([]),
	error: z.unknown().optional(),
});

type Choice = z.infer<typeof chunk>['choices'][number];

/** What a stream says at its end instead of JSON. */
export const DONE = '[DONE]';

/**
 * Puts the pieces of a streamed completion together. Its shape is assumed, as that of the whole answer:
 * https://platform.openai.com/docs/api-reference/chat-streaming.
 */
export class CompletionStream {
	/** In the order in which they began. */
	private readonly calls: StreamedCall[] = [];

	private readonly byId = new Map<string, StreamedCall>();

	/** The latest of each index. */
	private readonly byIndex = new Map<number, StreamedCall>();

	private readonly reply: ChatReply = { text: '', finishReason: '', toolCalls: [] };

	/** Of the answer that is read. */
	private index?: number;

	/** The latest that came as in an answer that is not streamed. */
	private message?: Choice['message'];

	private isOver = false;

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
		const choice = this.firstOf(choices);
		const { delta, message, error, finish_reason: ending = '' } = choice ?? {};
		const pieces = delta?.tool_calls ?? [];
		for (const piece of pieces) this.addCall(piece);
		this.reply.refusal = (this.reply.refusal ?? '') + (delta?.refusal ?? '') || undefined;
		const added = textIn(delta?.content);
		this.reply.text += added;
		this.message = message ?? this.message;
		const legacyCalls = [delta?.function_call, message?.function_call];
		Object.assign(this.reply, whatIsBroken(error, legacyCalls));
		if (ending !== '') this.endWith(ending);
		else if (added !== '' || pieces.length > 0) this.isOver = false;
		return added;
	}

	/** Where several answers were asked for, they come by turns: the others are left out. */
	private firstOf(choices: Choice[]): Choice | undefined {
		this.index ??= choices[0]?.index;
		return choices.find(({ index }) => index === undefined || index === this.index);
	}

	/** Whether it has been said how the answer ended, and nothing was added since. */
	get hasEnded(): boolean {
		return this.isOver;
	}

	/** What has come so far. */
	whole(): ChatReply {
		const toolCalls = this.calls.map(({ id, function: called }) => ({ id, function: called }));
		const reply = { ...this.reply, toolCalls };
		if (!this.message || !holdsMore(this.message, reply)) return reply;
		return { broken: 'a piece of it holds a message of its own', ...reply };
	}

	/** That it was cut off stays true, whatever is said later. */
	private endWith(ending: string): void {
		const { finishReason } = this.reply;
		this.isOver = true;
		if (isWhole(finishReason)) this.reply.finishReason = ending;
		else if (isWhole(ending)) {
			this.reply.broken ??= `it ended with “${finishReason}”, then with “${ending}”`;
		}
	}

	private addCall(piece: z.infer<typeof callPiece>): void {
		const call = this.begunCall(piece) ?? this.begin(piece);
		call.id ||= piece.id ?? '';
		if (call.id !== '' && !this.byId.has(call.id)) this.byId.set(call.id, call);
		call.function.name ||= piece.function?.name ?? '';
		call.function.arguments += piece.function?.arguments ?? '';
	}

	/** Platforms number the calls; where one does not, a new id begins a new call. */
	private begunCall({ index, id }: z.infer<typeof callPiece>): StreamedCall | undefined {
		const same = index === undefined ? this.calls.at(-1) : this.byIndex.get(index);
		const isOther = id && same?.id && same.id !== id;
		return isOther ? this.byId.get(id) : same;
	}

	private begin({ index }: z.infer<typeof callPiece>): StreamedCall {
		const call = { id: '', function: { name: '', arguments: '' } };
		this.calls.push(call);
		if (index !== undefined) this.byIndex.set(index, call);
		return call;
	}
}
