import { OperationalError } from 'n8n-workflow';

/**
 * What was promised, or after so many milliseconds an error as of a timeout. The timer lets go of
 * what came in time: an answer must not stay in memory for as long as it might have taken.
 */
export async function within<T>(ms: number, promised: Promise<T>): Promise<T> {
	const timer = AbortSignal.timeout(ms);
	return await new Promise((resolve, reject) => {
		const tooLate = () => {
			reject(new OperationalError('timeout: the whole answer did not come in time'));
		};
		timer.addEventListener('abort', tooLate);
		promised.finally(() => timer.removeEventListener('abort', tooLate)).then(resolve, reject);
	});
}
