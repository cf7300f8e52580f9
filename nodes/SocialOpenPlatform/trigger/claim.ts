import { sleep } from 'n8n-workflow';
import type { EventIdentity } from '../protocol/eventIdentity';
import { whenHandedOver, type Answer } from './answer';
import { DeliveryMemory, type HandOver } from './deliveryMemory';

/** How long a repetition waits for the delivery it repeats, in milliseconds; then it is put off. */
const PATIENCE_MS = 800;

const deliveryMemory = new DeliveryMemory();

/** One event of a delivery, as far as it takes part in the decision. */
interface Claimable {
	identity: EventIdentity;
	/** Whether it is to start a workflow. */
	isWanted: boolean;
}

/**
 * Decides which events of a delivery start a workflow: those that are wanted and have not done so
 * before. They will be remembered once n8n has taken them over. `busy`: one of them is still being
 * handed over by another delivery, and nobody knows yet how that ends.
 *
 * @param place what tells the trigger from others
 * @param windowMs how long they are remembered; 0 lets every repetition through
 */
export async function claim<T extends Claimable>(
	place: string,
	events: T[],
	windowMs: number,
	answer: Answer,
): Promise<T[] | 'busy'> {
	const wanted = events.filter(({ isWanted }) => isWanted);
	if (windowMs === 0) return wanted;
	const memory = deliveryMemory.of(place);
	let patience: Promise<undefined> | undefined;
	for (;;) {
		const earlier = wanted.map(({ identity }) => memory.earlier(identity, windowMs));
		const underWay = earlier.filter((one) => one instanceof Promise);
		if (underWay.length === 0) break;
		patience ??= sleep(PATIENCE_MS).then(() => undefined);
		const settled = await Promise.race([Promise.all(underWay), patience]);
		if (settled === undefined) return 'busy';
	}
	let handOver: HandOver | undefined;
	// In their order: within one delivery, too, a post may change its status and change it back.
	return events.filter(({ identity, isWanted }) => {
		if (!isWanted) {
			memory.note(identity);
			return false;
		}
		const earlier = memory.earlier(identity, windowMs);
		if (earlier === true || (earlier && earlier === handOver?.done)) return false;
		handOver ??= startHandOver(answer);
		memory.begin(identity, handOver);
		return true;
	});
}

function startHandOver(answer: Answer): HandOver {
	const handOver: HandOver = { done: whenHandedOver(answer) };
	void handOver.done.then((isDone) => {
		if (isDone) handOver.at = Date.now();
	});
	return handOver;
}
