/**
 * A reply laid down in advance. `{}` is an empty response. It is used up once it is made, also where a
 * fault then spoils it on its way out; a request that is refused leaves it where it is.
 */
export interface ScriptedReply {
	/** What the model says. */
	content?: string;
	/** What it says where it will not answer; its content is then null, unless it is given too. */
	refusal?: string;
	/** Calls of tools, all in one turn. Arguments that are no text are sent as JSON. */
	tool_calls?: Array<{ name: string; arguments: unknown }>;
	/**
	 * Why the model stopped, where it is not what follows from the rest: `stop`, `length`,
	 * `content_filter` or any other word. In `/v1/responses` all but `stop` and `tool_calls` make an
	 * incomplete answer, and the word is its reason (`length`: `max_output_tokens`).
	 */
	finish_reason?: string;
	/** Waits for a request whose body holds this text. */
	bodyHas?: string;
}

const TEXTS = ['content', 'refusal', 'finish_reason', 'bodyHas'] as const;

const isObject = (value: unknown): value is Record<string, unknown> =>
	value !== null && typeof value === 'object' && !Array.isArray(value);

/** The replies that wait for the next chat requests, first in, first out. */
export class ChatScript {
	private replies: ScriptedReply[] = [];

	/** Throws a TypeError for a field that does not exist or is of another type; then adds none. */
	add(replies: ScriptedReply[]): void {
		replies.forEach(check);
		this.replies.push(...replies);
	}

	/** The first reply that is for such a request. */
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
