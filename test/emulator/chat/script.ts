/**
 * A scripted reply. `{}` is an empty reply. A reply is used up even if a fault then damages the response,
 * but not by a request that is refused.
 */
export interface ScriptedReply {
	/** The text of the reply. */
	content?: string;
	/** The text of a refusal. The content is then null unless it is given too. */
	refusal?: string;
	/** The tool calls of the reply. Arguments that are not text are sent as JSON. */
	tool_calls?: Array<{ name: string; arguments: unknown }>;
	/**
	 * The finish reason, if it differs from the one that follows from the reply. In `/v1/responses`, every
	 * reason except `stop` and `tool_calls` makes the response incomplete and becomes its reason; `length`
	 * becomes `max_output_tokens`.
	 */
	finish_reason?: string;
	/** Limits the reply to a request whose body contains this text. */
	bodyHas?: string;
}

const TEXTS = ['content', 'refusal', 'finish_reason', 'bodyHas'] as const;

const isObject = (value: unknown): value is Record<string, unknown> =>
	value !== null && typeof value === 'object' && !Array.isArray(value);

/** The queue of scripted replies for the next chat requests. */
export class ChatScript {
	private replies: ScriptedReply[] = [];

	/** Adds replies. Throws a TypeError and adds none if one has an unknown field or a value of a wrong type. */
	add(replies: ScriptedReply[]): void {
		replies.forEach(check);
		this.replies.push(...replies);
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

function check(reply: unknown): void {
	if (!isObject(reply)) throw new TypeError('A scripted reply is not an object');
	const { tool_calls: calls = [], ...texts } = reply;
	for (const [name, value] of Object.entries(texts)) {
		if (!(TEXTS as readonly string[]).includes(name)) {
			throw new TypeError(`A scripted reply has no field '${name}'`);
		}
		if (value !== undefined && typeof value !== 'string') {
			throw new TypeError(`'${name}' of a scripted reply is not a text`);
		}
	}
	const isCall = (call: unknown) => isObject(call) && typeof call.name === 'string';
	if (!Array.isArray(calls) || !calls.every(isCall)) {
		throw new TypeError("'tool_calls' of a scripted reply is not a list of {name, arguments}");
	}
}
