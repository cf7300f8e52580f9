/** A reply laid down in advance: a text, or calls of tools the request offers. */
export interface ScriptedReply {
	content?: string;
	tool_calls?: Array<{ name: string; arguments: unknown }>;
}

/** The replies that wait for the next chat requests, first in, first out. */
export class ChatScript {
	private replies: ScriptedReply[] = [];

	add(replies: ScriptedReply[]): void {
		this.replies.push(...replies);
	}

	next(): ScriptedReply | undefined {
		return this.replies.shift();
	}

	get length(): number {
		return this.replies.length;
	}

	clear(): void {
		this.replies = [];
	}
}
