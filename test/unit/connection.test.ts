import { readConnectionError } from '../../nodes/SocialOpenPlatform/protocol/connection';

describe('A client error instead of an answer', () => {
	test.each([
		['ECONNREFUSED', 'the connection was refused'],
		['ENOTFOUND', 'the host was not found'],
		['EAI_AGAIN', 'could not be looked up'],
		['EHOSTUNREACH', 'cannot be reached'],
		['ENETUNREACH', 'cannot be reached'],
		['EPROTO', 'does not speak HTTPS'],
		['CERT_HAS_EXPIRED', 'has expired'],
		['ERR_TLS_CERT_ALTNAME_INVALID', 'another host name'],
	])('%s means that nothing was sent', (code, reason) => {
		const read = readConnectionError({ code });
		expect(read.mayHaveArrived).toBe(false);
		expect(read.reason).toContain(reason);
		expect(read.advice).not.toBe('');
	});

	test('a connection that timed out while it was opened means that nothing was sent', () => {
		expect(readConnectionError({ code: 'ETIMEDOUT', syscall: 'connect' }).mayHaveArrived).toBe(
			false,
		);
		const message =
			'Client network socket disconnected before secure TLS connection was established';
		expect(readConnectionError({ code: 'ECONNRESET', message }).mayHaveArrived).toBe(false);
	});

	test.each([
		[{ code: 'ECONNABORTED', message: 'timeout of 5ms exceeded' }, 'timeout'],
		[{ code: 'ETIMEDOUT' }, 'timeout'],
		[{ code: 'ECONNRESET', message: 'socket hang up' }, 'closed'],
		[{ code: 'EPIPE' }, 'closed'],
		[{ code: 'ERR_CANCELED' }, 'cancelled'],
		[{ code: 'SOMETHING_NEW' }, 'closed'],
		[{}, 'closed'],
	])('%j means that the request may have arrived', (error, reason) => {
		const read = readConnectionError(error);
		expect(read.mayHaveArrived).toBe(true);
		expect(read.reason).toContain(reason);
	});
});
