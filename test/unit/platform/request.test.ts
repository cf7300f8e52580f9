import { NodeApiError, type INode } from 'n8n-workflow';
import { originalErrorOf } from '../../../nodes/SocialOpenPlatform/platform/connection';

describe('originalErrorOf', () => {
	const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

	const apiError = () => new NodeApiError({} as INode, {});

	test('returns the cause of an error of n8n', () => {
		expect(originalErrorOf(Object.assign(apiError(), { cause }))).toBe(cause);
	});

	/** Creates an error as n8n 1 throws it, without a cause. */
	const n8n1Error = (httpCode: string | null, ...messages: string[]) =>
		Object.assign(apiError(), {
			message: 'The service was not able to process your request',
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
	});
});
