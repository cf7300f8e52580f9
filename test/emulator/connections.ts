import type { Socket } from 'node:net';

/** Counts the sockets that carried at least one platform request. */
export class Connections {
	open = 0;
	peak = 0;
	total = 0;
	private readonly ids = new WeakMap<Socket, number>();
	private lastId = 0;

	/** Returns the number of a socket, starting at 1, and counts the socket if it is new. */
	idOf(socket: Socket): number {
		const known = this.ids.get(socket);
		if (known !== undefined) return known;
		this.ids.set(socket, ++this.lastId);
		this.total += 1;
		this.open += 1;
		this.peak = Math.max(this.peak, this.open);
		socket.once('close', () => (this.open -= 1));
		return this.lastId;
	}

	reset(): void {
		this.total = this.open;
		this.peak = this.open;
	}
}
