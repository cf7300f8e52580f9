/** The functions that the other process can call. */
export type Callable = Record<string, (...args: never[]) => Promise<unknown>>;

interface Channel {
	send?: (message: object, handle: undefined, options: object, done: () => void) => unknown;
	on: (event: 'message', listener: (message: unknown) => void) => unknown;
}

type Message =
	{ id: number; name: string; args: unknown[] } | { id: number; value?: unknown; error?: string };

/** Function calls between this process and a child process through Node's IPC channel. */
export class RemoteCalls {
	private readonly pending = new Map<
		number,
		(answer: { value?: unknown; error?: string }) => void
	>();

	private count = 0;

	constructor(
		private readonly channel: Channel,
		private readonly callable: Callable,
	) {
		channel.on('message', (message) => void this.receive(message as Message));
	}

	/** @throws Error with the message of the error in the other process */
	async call<T>(name: string, ...args: unknown[]): Promise<T> {
		const id = ++this.count;
		const answered = new Promise<{ value?: unknown; error?: string }>((resolve) =>
			this.pending.set(id, resolve),
		);
		this.send({ id, name, args });
		const { value, error } = await answered;
		if (error !== undefined) throw new Error(error);
		return value as T;
	}

	private send(message: Message): void {
		// Without the function, Node reports as an uncaught error that the other process was killed.
		this.channel.send?.(message, undefined, {}, () => undefined);
	}

	private async receive(message: Message): Promise<void> {
		const { id } = message;
		if (!('name' in message)) {
			this.pending.get(id)?.(message);
			this.pending.delete(id);
			return;
		}
		try {
			const value = await this.callable[message.name]!(...(message.args as never[]));
			this.send({ id, value });
		} catch (error) {
			this.send({ id, error: (error as Error).message });
		}
	}
}
