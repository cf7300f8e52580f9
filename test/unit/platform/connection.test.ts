import { NodeApiError, type INode } from 'n8n-workflow';
import {
	originalErrorOf,
	readConnectionError,
	wasSent,
} from '../../../nodes/SocialOpenPlatform/platform/connection';

describe('readConnectionError', () => {
	test.each([
		['ECONNREFUSED', 'the connection was refused'],
		['ENOTFOUND', 'the host was not found'],
		['EAI_AGAIN', 'cannot be reached'],
		['EHOSTUNREACH', 'cannot be reached'],
		['CERT_HAS_EXPIRED', 'was not accepted'],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'was not accepted'],
	])('reports %s as not sent', (code, reason) => {
		const read = readConnectionError({ code });
		expect(read.mayHaveArrived).toBe(false);
		expect(read.reason).toContain(reason);
		expect(read.advice).not.toBe('');
	});

	test('reports a timeout during connect as not sent', () => {
		expect(readConnectionError({ code: 'ETIMEDOUT', syscall: 'connect' }).mayHaveArrived).toBe(
			false,
		);
		const named = { code: 'ETIMEDOUT', message: 'connect ETIMEDOUT 192.0.2.1:443' };
		expect(readConnectionError(named).mayHaveArrived).toBe(false);
		for (const text of ['wrong version number', 'packet length too long']) {
			const https = { code: 'EPROTO', message: `write EPROTO SSL routines:${text}` };
			expect(readConnectionError(https).reason).toContain('does not speak HTTPS');
		}
		const message =
			'Client network socket disconnected before secure TLS connection was established';
		expect(readConnectionError({ code: 'ECONNRESET', message }).mayHaveArrived).toBe(false);
		expect(readConnectionError(named).cause).toStrictEqual({ cause: 'temporarily-unavailable' });
	});

	const before = { socket: { encrypted: true, secureConnecting: true, _bytesDispatched: 99 } };
	const after = { socket: { encrypted: true, secureConnecting: false, _bytesDispatched: 99 } };

	test.each([
		[{ code: 'ECONNABORTED', message: 'timeout of 5ms exceeded' }, 'established in time'],
		[{ code: 'ERR_CANCELED' }, 'no connection could be established'],
		[{ code: 'ECONNRESET', message: 'read ECONNRESET' }, 'no connection could be established'],
		[{ code: 'EPROTO', message: 'write EPROTO sslv3 alert' }, 'no connection could be established'],
		[{ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' }, 'no connection could be established'],
		[{ code: 'CERT_NOT_YET_VALID' }, 'was not accepted (CERT_NOT_YET_VALID)'],
	])('reports %j as not sent when the socket was never connected', (error, reason) => {
		const read = readConnectionError({ ...error, request: before });
		expect(read.mayHaveArrived).toBe(false);
		expect(read.reason).toContain(reason);
	});

	test.each(['ECONNREFUSED', 'CERT_HAS_EXPIRED', 'EPROTO', 'EHOSTUNREACH'])(
		'reports %s as possibly received after bytes were sent',
		(code) => {
			const error = { code, message: 'wrong version number', request: after };
			expect(readConnectionError(error).mayHaveArrived).toBe(true);
		},
	);

	test('reads from the socket whether bytes may have been sent', () => {
		const plain = (_bytesDispatched?: number) => ({ socket: { _bytesDispatched } });
		expect([plain(0), plain(1), plain(), before, after].map(wasSent)).toStrictEqual([
			...[false, true, undefined, false, true],
		]);
		expect(wasSent({ socket: { encrypted: true } })).toBeUndefined();
		expect([undefined, {}].map(wasSent)).toStrictEqual([undefined, undefined]);
		expect(wasSent({ socket: null })).toBe(false);
	});

	test.each([
		[{ code: 'ECONNABORTED', message: 'timeout of 5ms exceeded' }, 'timeout'],
		[{ code: 'ETIMEDOUT' }, 'timeout'],
		[{ code: 'ECONNRESET', message: 'socket hang up' }, 'closed'],
		[{ code: 'ERR_CANCELED' }, 'no usable response'],
		[{ code: 'EHOSTUNREACH', syscall: 'read' }, 'no usable response'],
		[{ code: 'EHOSTUNREACH', message: 'read EHOSTUNREACH' }, 'no usable response'],
		[{ code: 'EPROTO', message: 'write EPROTO sslv3 alert' }, 'no usable response'],
		[{ code: 'SOMETHING_NEW' }, 'no usable response'],
		[{}, 'no usable response'],
	])('reports %j as possibly received', (error, reason) => {
		const read = readConnectionError(error);
		expect(read.mayHaveArrived).toBe(true);
		expect(read.reason).toContain(reason);
	});
});

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
