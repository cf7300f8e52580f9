import { hasLeft, readConnectionError } from '../../nodes/SocialOpenPlatform/protocol/connection';

describe('A client error instead of an answer', () => {
	test.each([
		['ECONNREFUSED', 'the connection was refused'],
		['ENOTFOUND', 'the host was not found'],
		['EAI_AGAIN', 'could not be looked up'],
		['EHOSTUNREACH', 'cannot be reached'],
		['ENETUNREACH', 'cannot be reached'],
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
		const named = { code: 'ETIMEDOUT', message: 'connect ETIMEDOUT 192.0.2.1:443' };
		expect(readConnectionError(named).mayHaveArrived).toBe(false);
		const https = { code: 'EPROTO', message: 'write EPROTO SSL routines:wrong version number' };
		expect(readConnectionError(https).reason).toContain('does not speak HTTPS');
		const message =
			'Client network socket disconnected before secure TLS connection was established';
		expect(readConnectionError({ code: 'ECONNRESET', message }).mayHaveArrived).toBe(false);
	});

	const before = { socket: { encrypted: true, secureConnecting: true, _bytesDispatched: 99 } };
	const after = { socket: { encrypted: true, secureConnecting: false, _bytesDispatched: 99 } };

	test.each([
		[{ code: 'ECONNABORTED', message: 'timeout of 5ms exceeded' }, 'established in time'],
		[{ code: 'ERR_CANCELED' }, 'the execution was cancelled'],
		[{ code: 'ECONNRESET', message: 'read ECONNRESET' }, 'no connection could be established'],
		[{ code: 'EPROTO', message: 'write EPROTO sslv3 alert' }, 'no secure connection (TLS)'],
		[{ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' }, 'no secure connection (TLS)'],
		[{ code: 'CERT_NOT_YET_VALID' }, 'is not valid yet'],
	])('%j means that nothing was sent where the connection says so', (error, reason) => {
		const read = readConnectionError({ ...error, request: before });
		expect(read.mayHaveArrived).toBe(false);
		expect(read.reason).toContain(reason);
	});

	test.each(['ECONNREFUSED', 'CERT_HAS_EXPIRED', 'EPROTO', 'EHOSTUNREACH'])(
		'%s means that the request may have arrived where the connection says so',
		(code) => {
			const error = { code, message: 'wrong version number', request: after };
			expect(readConnectionError(error).mayHaveArrived).toBe(true);
		},
	);

	test('tells of its connection whether bytes can have left', () => {
		const plain = (_bytesDispatched?: number) => ({ socket: { _bytesDispatched } });
		expect([plain(0), plain(1), plain(), before, after].map(hasLeft)).toStrictEqual([
			...[false, true, undefined, false, true],
		]);
		expect(hasLeft({ socket: { encrypted: true } })).toBeUndefined();
		expect([undefined, {}, { socket: null }].map(hasLeft)).toStrictEqual(Array(3).fill(undefined));
	});

	test.each([
		[{ code: 'ECONNABORTED', message: 'timeout of 5ms exceeded' }, 'timeout'],
		[{ code: 'ETIMEDOUT' }, 'timeout'],
		[{ code: 'ECONNRESET', message: 'socket hang up' }, 'closed'],
		[{ code: 'EPIPE' }, 'closed'],
		[{ code: 'ERR_CANCELED' }, 'cancelled'],
		[{ code: 'EHOSTUNREACH', syscall: 'read' }, 'no usable answer'],
		[{ code: 'EHOSTUNREACH', message: 'read EHOSTUNREACH' }, 'no usable answer'],
		[{ code: 'EPROTO', message: 'write EPROTO sslv3 alert' }, 'no usable answer'],
		[{ code: 'SOMETHING_NEW' }, 'no usable answer'],
		[{}, 'no usable answer'],
	])('%j means that the request may have arrived', (error, reason) => {
		const read = readConnectionError(error);
		expect(read.mayHaveArrived).toBe(true);
		expect(read.reason).toContain(reason);
	});
});
