import {
	formUrlEncode,
	signTokenRequest,
} from '../../../nodes/SocialOpenPlatform/platform/signature';
import { vectors } from '../vectors/token-signature.json';

describe('formUrlEncode', () => {
	test.each(vectors)('matches PHP for $name', (vector) => {
		const { app_id, app_secret, timestamp, query } = vector;
		expect(formUrlEncode({ timestamp, app_secret, sign_ver: '1.0', app_id })).toBe(query);
	});

	test('sorts keys by their bytes, and encodes keys like values', () => {
		expect(formUrlEncode({ '\uffee': 1, '😀': 2, 'a b': '~é', B: 3 })).toBe(
			'B=3&a+b=%7E%C3%A9&%EF%BF%AE=1&%F0%9F%98%80=2',
		);
	});

	test('refuses a lone surrogate and names the field', () => {
		expect(() => formUrlEncode({ app_id: 'a', nick: 'x\ud800' })).toThrow("'nick'");
		expect(() => formUrlEncode({ 'x\udc00': 'a' })).toThrow('surrogate');
	});
});

describe('signTokenRequest', () => {
	const signable = vectors.filter(({ app_id, app_secret }) => app_id !== '' && app_secret !== '');

	test.each(signable)('matches the signature of PHP for $name', (vector) => {
		const { app_id, app_secret, timestamp, md5 } = vector;
		expect(signTokenRequest({ appId: app_id, appSecret: app_secret, timestamp })).toEqual({
			app_id,
			sign_ver: '1.0',
			timestamp,
			signature: md5,
		});
	});

	test('refuses half of a surrogate pair, without showing the secret', () => {
		const sign = (appId: string, appSecret: string) => () =>
			signTokenRequest({ appId, appSecret, timestamp: 1 });
		expect(sign('\ud800', 'b')).toThrow("'app_id' contains half of a surrogate pair");
		expect(sign('a', 'hidden\udfff')).toThrow("'app_secret' contains half of a surrogate pair");
		expect(sign('a', 'hidden\udfff')).not.toThrow('hidden');
	});
});
