import type { Socket } from 'node:net';

/** Counts the sockets that carried at least one platform request. */
export class Connections {
	open = 0;
	peak = 0;
	readonly #sockets = new WeakSet<Socket>();

	/** Counts a socket if it is new. */
	add(socket: Socket): void {
		if (this.#sockets.has(socket)) return;
		this.#sockets.add(socket);
		this.peak = Math.max(this.peak, ++this.open);
		socket.once('close', () => (this.open -= 1));
	}

	reset(): void {
		this.peak = this.open;
	}
}
