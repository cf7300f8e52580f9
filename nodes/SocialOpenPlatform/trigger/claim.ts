import { sleep } from 'n8n-workflow';
import { whenHandedOver, type Answer } from './answer';
import { DeliveryMemory } from './deliveryMemory';

/** How long a repetition waits for the delivery it repeats, in milliseconds; then it is put off. */
const PATIENCE_MS = 800;

const deliveryMemory = new DeliveryMemory();

/**
 * Decides whether a delivery starts a workflow. `ours`: it does, and will be remembered once n8n has
 * taken it over. `duplicate`: it has already. `busy`: the same one is still being handed over, and
 * nobody knows yet how that ends.
 *
 * @param windowMs how long it is remembered; 0 lets every repetition through
 */
export async function claim(
	key: string,
	windowMs: number,
	answer: Answer,
): Promise<'ours' | 'duplicate' | 'busy'> {
	if (windowMs === 0) return 'ours';
	let patience: Promise<undefined> | undefined;
	for (;;) {
		const earlier = deliveryMemory.earlier(key, windowMs);
		if (earlier === undefined) break;
		if (earlier === true) return 'duplicate';
		patience ??= sleep(PATIENCE_MS).then(() => undefined);
		const isHandedOver = await Promise.race([earlier, patience]);
		if (isHandedOver === undefined) return 'busy';
		if (isHandedOver) return 'duplicate';
	}
	deliveryMemory.begin(key, whenHandedOver(answer));
	return 'ours';
}
