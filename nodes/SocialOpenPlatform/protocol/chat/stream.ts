import { z } from 'zod/v4';
import {
	choice,
	completion,
	containsMore,
	content,
	isComplete,
	jsonText,
	quoted,
	readBroken,
	textOf,
	toolCallList,
	type ChatReply,
} from './reply';

/** The data of the event that ends a stream. All other events contain JSON. */
export const DONE = '[DONE]';

/** A tool call that is joined from its pieces. `arguments` is JSON text. */
interface StreamedCall {
	id: string;
	function: { name: string; arguments: string };
}

const text = z.string().nullish().catch(undefined);

const callPiece = z.looseObject({
	index: z.int().optional().catch(undefined),
	id: text,
	function: z.looseObject({ name: text, arguments: jsonText }).nullish().catch(undefined),
});
type CallPiece = z.infer<typeof callPiece>;

const delta = z
	.looseObject({
		content,
		refusal: text,
		tool_calls: toolCallList.pipe(z.array(callPiece.catch({}))),
		function_call: z.unknown(),
	})
	.nullish()
	.catch(undefined);

const chunk = z.looseObject({
	...completion.shape,
	choices: z.array(choice.extend({ delta })).catch([]),
	error: z.unknown().optional(),
});
/** An event without any of these fields is ignored. */
const pieceFields = ['choices', 'id', 'model', 'usage'];

type Choice = z.infer<typeof chunk>['choices'][number];

/**
 * Joins the pieces of a streamed completion. The format of a piece is an assumption:
 * https://platform.openai.com/docs/api-reference/chat-streaming.
 */
export class CompletionStream {
	/** The tool calls in the order in which they began. */
	private readonly calls: StreamedCall[] = [];

	private readonly callById = new Map<string, StreamedCall>();

	/** The latest tool call with each index. */
	private readonly callByIndex = new Map<number, StreamedCall>();

	private readonly received: ChatReply = { text: '', finishReason: '', toolCalls: [] };

	/** The index of the only choice that is read. */
	private index?: number;

	/** The latest complete message in the stream. Some platforms send one at the end. */
	private message?: Choice['message'];

	private isOver = false;

	/** Whether the finish reason has arrived, and no text or tool call after it. */
	get hasEnded(): boolean {
		return this.isOver;
	}

	/** All pieces so far, joined into one reply. */
	get reply(): ChatReply {
		const toolCalls = this.calls.map(({ id, function: called }) => ({ id, function: called }));
		const reply = { ...this.received, toolCalls };
		if (!this.message || !containsMore(this.message, reply)) return reply;
		return { broken: 'a part of the stream contains a separate message', ...reply };
	}

	/**
	 * Adds the JSON of one event. JSON that is not a piece of a completion is ignored.
	 *
	 * @returns the text that the event adds
	 */
	add(json: unknown): string {
		if (typeof json !== 'object' || json === null) return '';
		if (!pieceFields.some((name) => name in json)) return '';
		const read = chunk.safeParse(json);
		if (!read.success) return '';
		const { choices, id, model, usage } = read.data;
		Object.assign(this.received, {
			...(id && { id }),
			...(model && { model }),
			...(usage && { usage }),
		});
		const choice = this.findChoice(choices);
		const { delta, message, error, finish_reason: finishReason = '' } = choice ?? {};
		const pieces = delta?.tool_calls ?? [];
		for (const piece of pieces) this.addCall(piece);
		this.received.refusal = (this.received.refusal ?? '') + (delta?.refusal ?? '') || undefined;
		const added = textOf(delta?.content);
		this.received.text += added;
		this.message = message ?? this.message;
		const legacyCalls = [delta?.function_call, message?.function_call];
		Object.assign(this.received, readBroken(error, legacyCalls));
		if (finishReason !== '') this.end(finishReason);
		else if (added !== '' || pieces.length > 0) this.isOver = false;
		return added;
	}

	/**
	 * Finds the choice that is read. If a stream contains several choices, only the first choice of
	 * the stream is read.
	 */
	private findChoice(choices: Choice[]): Choice | undefined {
		this.index ??= choices[0]?.index;
		return choices.find(({ index }) => index === undefined || index === this.index);
	}

	/**
	 * Records a finish reason. Once a finish reason has said that the reply is incomplete, later ones
	 * do not change that.
	 */
	private end(finishReason: string): void {
		const before = this.received.finishReason;
		this.isOver = true;
		if (isComplete(before)) this.received.finishReason = finishReason;
		else if (isComplete(finishReason)) {
			this.received.broken ??= `it ended first with ${quoted(before)}, then with ${quoted(finishReason)}`;
		}
	}

	private addCall(piece: CallPiece): void {
		const call = this.findCall(piece) ?? this.beginCall(piece);
		call.id ||= piece.id ?? '';
		if (call.id !== '' && !this.callById.has(call.id)) this.callById.set(call.id, call);
		this.nameCall(call, piece.function?.name ?? '');
		call.function.arguments += piece.function?.arguments ?? '';
	}

	/** Sets the name of a tool call. A name is sent in one piece, which some platforms repeat. */
	private nameCall(call: StreamedCall, name: string): void {
		const before = call.function.name;
		call.function.name ||= name;
		if (name === '' || before === '' || name === before) return;
		this.received.broken ??= `a tool call has two names, ${quoted(before)} and ${quoted(name)}`;
	}

	/**
	 * Finds the tool call that a piece belongs to. Platforms usually number the calls. If a platform
	 * does not, a new ID begins a new call.
	 */
	private findCall({ index, id }: CallPiece): StreamedCall | undefined {
		const latest = index === undefined ? this.calls.at(-1) : this.callByIndex.get(index);
		const isOther = id && latest?.id && latest.id !== id;
		return isOther ? this.callById.get(id) : latest;
	}

	private beginCall({ index }: CallPiece): StreamedCall {
		const call = { id: '', function: { name: '', arguments: '' } };
		this.calls.push(call);
		if (index !== undefined) this.callByIndex.set(index, call);
		return call;
	}
}
