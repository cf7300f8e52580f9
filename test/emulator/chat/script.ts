import { z } from 'zod/v4';

const scriptedReply = z.strictObject({
	/** The text of the reply. */
	content: z.string().optional(),
	/** The text of a refusal. The content is then null unless it is given too. */
	refusal: z.string().optional(),
	/** The tool calls of the reply. Arguments that are not text are sent as JSON. */
	tool_calls: z.array(z.object({ name: z.string(), arguments: z.unknown().optional() })).optional(),
	/**
	 * The finish reason, if it differs from the one that follows from the reply. In `/v1/responses`, every
	 * reason except `stop` and `tool_calls` makes the response incomplete and becomes its reason; `length`
	 * becomes `max_output_tokens`.
	 */
	finish_reason: z.string().optional(),
	/** Limits the reply to a request whose body contains this text. */
	bodyHas: z.string().optional(),
});

/**
 * A scripted reply. `{}` is an empty reply. A reply is used up even if a fault then damages the response,
 * but not by a request that is refused.
 */
export type ScriptedReply = z.infer<typeof scriptedReply>;

/** The queue of scripted replies for the next chat requests. */
export class ChatScript {
	private replies: ScriptedReply[] = [];

	/** Adds replies. Throws an error and adds none if one has an unknown field or a value of a wrong type. */
	add(replies: ScriptedReply[]): void {
		this.replies.push(...z.array(scriptedReply).parse(replies));
	}

	/** Removes and returns the first reply for a request with this body. */
	next(rawBody: string): ScriptedReply | undefined {
		const index = this.replies.findIndex(({ bodyHas = '' }) => rawBody.includes(bodyHas));
		return index < 0 ? undefined : this.replies.splice(index, 1)[0];
	}

	get length(): number {
		return this.replies.length;
	}

	clear(): void {
		this.replies = [];
	}
}
