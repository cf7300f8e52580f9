import { knownSettings } from '../../credentials/knownSettings';

const data = () => ({
	baseUrl: 'https://api.example.com',
	appId: 'app',
	appSecret: 'secret-0123456789',
	accessToken: 'first',
});

describe('What is known of credential data', () => {
	test('is read once for the same object', () => {
		const own = data();
		expect(knownSettings(own)).toBe(knownSettings(own));
		expect(knownSettings(own)).toMatchObject({ appId: 'app', accessToken: 'first' });
	});

	test('is read anew when n8n has put another token there', () => {
		const own = data();
		knownSettings(own);
		own.accessToken = 'second';
		expect(knownSettings(own).accessToken).toBe('second');
	});

	test('is never that of another object that looks the same', () => {
		expect(knownSettings(data())).not.toBe(knownSettings(data()));
	});
});
