/** Calls between this process and a child process, over Node's IPC channel. */

/** The functions that the other process can call. */
export type Callable = Record<string, (...args: never[]) => Promise<unknown>>;

interface Channel {
	send?: (message: object) => unknown;
	on: (event: 'message', listener: (message: unknown) => void) => unknown;
}

type Message =
	{ id: number; name: string; args: never[] } | { id: number; value?: unknown; error?: string };

export class CallLine {
	private readonly open = new Map<number, (answer: { value?: unknown; error?: string }) => void>();

	private calls = 0;

	constructor(
		private readonly channel: Channel,
		private readonly callable: Callable,
	) {
		channel.on('message', (message) => void this.take(message as Message));
	}

	/** @throws Error with the message of the error in the other process */
	async call<T>(name: string, ...args: unknown[]): Promise<T> {
		const id = ++this.calls;
		const answered = new Promise<{ value?: unknown; error?: string }>((resolve) =>
			this.open.set(id, resolve),
		);
		this.channel.send?.({ id, name, args });
		const { value, error } = await answered;
		if (error !== undefined) throw new Error(error);
		return value as T;
	}

	private async take(message: Message): Promise<void> {
		const { id } = message;
		if (!('name' in message)) {
			this.open.get(id)?.(message);
			this.open.delete(id);
			return;
		}
		try {
			const value = await this.callable[message.name]!(...message.args);
			this.channel.send?.({ id, value });
		} catch (error) {
			this.channel.send?.({ id, error: (error as Error).message });
		}
	}
}
