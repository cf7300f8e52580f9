import { thrownIn } from '../../nodes/SocialOpenPlatform/transport/send';

describe('What was thrown, in an error that n8n made of it', () => {
	const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

	test('is its cause', () => {
		expect(thrownIn(new Error('The connection was aborted', { cause }))).toBe(cause);
	});

	/** As n8n 1 makes it: it has a cause, which is never set. */
	const made = (httpCode: string | null, ...messages: string[]) =>
		Object.assign(new Error('The service was not able to process your request'), {
			cause: undefined,
			httpCode,
			messages,
		});

	test('is put together from its first message and its HTTP code where n8n 1 drops the cause', () => {
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

	test('is what it was where n8n made nothing of it', () => {
		expect(thrownIn(cause)).toBe(cause);
		expect(thrownIn('gone').message).toBe('gone');
	});
});
