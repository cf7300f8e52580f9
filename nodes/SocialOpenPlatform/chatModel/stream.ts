import type { StreamChunk } from '@n8n/ai-node-sdk';
import { readCompletion, type ChatReply } from '../protocol/chat';
import { CompletionStream, DONE } from '../protocol/chatStream';
import { PiecewiseRedaction, redact } from '../protocol/redact';
import type { Asker, StreamedAnswer } from './asker';
import { eventsOf } from './events';
import { finishReasonOf, flawOf, toolCallsOf, usageOf, wordsOf } from './result';
import type { Sdk } from './sdk';

/** A streamed answer that has begun. */
export type Chunks = () => AsyncGenerator<StreamChunk>;

/** Waits for the first event: an answer that breaks off before that can be asked for again. */
export async function beginStream(
	asker: Asker,
	sdk: Sdk,
	{ answer, letGo }: { answer: StreamedAnswer; letGo: () => void },
): Promise<Chunks> {
	if ('whole' in answer) {
		const reply = readCompletion(answer.whole);
		return async function* () {
			const words = wordsOf(reply);
			if (words !== '') yield { type: 'text-delta', delta: words };
			yield* ending(asker, reply);
		};
	}
	const stream = new CompletionStream();
	const isWhole = () => stream.hasEnded;
	const events = eventsOf(asker, sdk, { pieces: answer.pieces, letGo, isWhole });
	const first = await events.next();
	return async function* () {
		const shown = new PiecewiseRedaction(asker.secrets);
		try {
			let event = first;
			for (; !event.done; event = await events.next()) {
				const delta = shown.add(stream.add(event.value));
				if (delta !== '') yield { type: 'text-delta', delta };
			}
			const rest = shown.end();
			if (rest !== '') yield { type: 'text-delta', delta: rest };
			// The arguments of a call come in pieces too.
			const reply = redact(stream.whole(), asker.secrets);
			if (event.value !== DONE && !isWhole())
				throw asker.unanswered('the answer was cut off in the middle');
			if (reply.text === '' && reply.refusal) yield { type: 'text-delta', delta: reply.refusal };
			yield* ending(asker, reply);
		} finally {
			await events.return(undefined);
		}
	};
}

/** What only the end of an answer tells. A call of a tool is passed on once it is whole. */
async function* ending(asker: Asker, reply: ChatReply): AsyncGenerator<StreamChunk> {
	const flaw = flawOf(reply);
	if (flaw) throw asker.flawed(flaw);
	for (const { toolCallId: id, toolName: name, input } of toolCallsOf(reply)) {
		yield { type: 'tool-call-delta', id, name, argumentsDelta: input };
	}
	yield { type: 'finish', finishReason: finishReasonOf(reply), usage: usageOf(reply) };
}
