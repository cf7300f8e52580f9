import { sleep } from 'n8n-workflow';

/**
 * Works on items at most `width` at a time, begun in their order. Between two of its items a worker
 * lets pass what has come meanwhile: an answer is worth more than the reading of the next item.
 *
 * @param work settles with whether further items are to be begun; it must not reject
 */
export async function eachItem(
	count: number,
	width: number,
	work: (itemIndex: number) => Promise<boolean>,
): Promise<void> {
	let next = 0;
	let goesOn = true;
	const worker = async () => {
		while (goesOn && next < count) {
			if (!(await work(next++))) goesOn = false;
			if (width > 1) await sleep(0);
		}
	};
	await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
}
