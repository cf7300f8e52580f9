import { originalErrorOf } from '../../../nodes/SocialOpenPlatform/platform/connection';

describe('originalErrorOf', () => {
	const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

	test('returns the cause of an error', () => {
		expect(originalErrorOf(new Error('The connection was aborted', { cause }))).toBe(cause);
	});

	/** Creates an error as n8n 1 throws it, without a cause. */
	const n8n1Error = (httpCode: string | null, ...messages: string[]) =>
		Object.assign(new Error('The service was not able to process your request'), {
			cause: undefined,
			httpCode,
			messages,
		});

	test('rebuilds the error from its first message and HTTP code if n8n 1 dropped the cause', () => {
		const wrapped = n8n1Error(
			'ECONNREFUSED',
			'connect ECONNREFUSED 127.0.0.1:9',
			'connect ECONNREFUSED',
		);
		expect(originalErrorOf(wrapped)).toMatchObject({
			code: 'ECONNREFUSED',
			message: 'connect ECONNREFUSED 127.0.0.1:9',
		});
		expect(originalErrorOf(n8n1Error('NO_ACCESS_TOKEN', 'No token.')).errorCode).toBe(
			'NO_ACCESS_TOKEN',
		);
		expect(originalErrorOf(n8n1Error(null)).message).toMatch(/not able to process/);
	});

	test('returns an error unchanged if n8n has not wrapped it', () => {
		expect(originalErrorOf(cause)).toBe(cause);
		expect(originalErrorOf('gone').message).toBe('gone');
	});
});
