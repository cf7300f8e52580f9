import { thrownIn } from '../../nodes/SocialOpenPlatform/transport/send';

describe('thrownIn', () => {
	const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

	test('returns the cause', () => {
		expect(thrownIn(new Error('The connection was aborted', { cause }))).toBe(cause);
	});

	/** An error of n8n 1, whose cause is never set. */
	const made = (httpCode: string | null, ...messages: string[]) =>
		Object.assign(new Error('The service was not able to process your request'), {
			cause: undefined,
			httpCode,
			messages,
		});

	test('rebuilds the error from its first message and HTTP code if n8n 1 dropped the cause', () => {
		const wrapped = made(
			'ECONNREFUSED',
			'connect ECONNREFUSED 127.0.0.1:9',
			'connect ECONNREFUSED',
		);
		expect(thrownIn(wrapped)).toMatchObject({
			code: 'ECONNREFUSED',
			message: 'connect ECONNREFUSED 127.0.0.1:9',
		});
		expect(thrownIn(made('NO_ACCESS_TOKEN', 'No token.')).errorCode).toBe('NO_ACCESS_TOKEN');
		expect(thrownIn(made(null)).message).toMatch(/not able to process/);
	});

	test('returns an error that n8n has not wrapped unchanged', () => {
		expect(thrownIn(cause)).toBe(cause);
		expect(thrownIn('gone').message).toBe('gone');
	});
});
