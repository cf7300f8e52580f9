/**
 * Works on items at most `width` at a time, begun in their order.
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
		}
	};
	await Promise.all(Array.from({ length: Math.min(width, count) }, worker));
}
