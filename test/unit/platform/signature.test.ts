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

	const good = { appId: 'a', appSecret: 'b', timestamp: 1 };
	test.each([
		['an empty App ID', { ...good, appId: '' }, 'App ID is empty'],
		['an empty App Secret', { ...good, appSecret: '' }, 'App Secret is empty'],
		['half of a surrogate pair in App ID', { ...good, appId: '\ud800' }, 'App ID contains half'],
		[
			'half of a surrogate pair in App Secret',
			{ ...good, appSecret: 'x\udfff' },
			'App Secret contains',
		],
		['a fraction of a millisecond', { ...good, timestamp: 1.5 }, 'Timestamp is not a whole number'],
		['a time beyond 2^53', { ...good, timestamp: 2 ** 53 }, 'Timestamp is not a whole number'],
	])('refuses %s and names the field', (_, input, message) => {
		expect(() => signTokenRequest(input)).toThrow(RangeError);
		expect(() => signTokenRequest(input)).toThrow(message);
	});

	test('reports all issues at once without showing the secret', () => {
		const sign = () => signTokenRequest({ appId: '', appSecret: 'hidden\ud800', timestamp: 0.5 });
		expect(sign).toThrow(/App ID.*App Secret.*Timestamp/);
		expect(sign).not.toThrow('hidden');
	});
});
