import { authenticateRequest } from '../../../credentials/authenticate';
import { captionOf } from '../../../nodes/SocialOpenPlatform/post/caption';
import { linkIssue } from '../../../nodes/SocialOpenPlatform/post/media/formats';
import { readSettings } from '../../../nodes/SocialOpenPlatform/platform/settings';
import { withToken } from '../../storedToken';

/** At the lengths tested here, code that takes more than linear time blocks n8n for seconds. */

const valid = { baseUrl: 'https://api.example.com', appId: 'a', appSecret: 's3cret-0123456789' };

/** Runs a task several times, and returns the shortest duration in milliseconds. */
const timeOf = (task: () => unknown) => {
	const times = [1, 2, 3, 4, 5].map(() => {
		const started = performance.now();
		task();
		return performance.now() - started;
	});
	return Math.min(...times);
};

test('quickly reads a Base URL that contains many slashes', () => {
	const baseUrl = `${valid.baseUrl}${'/'.repeat(100_000)}x`;
	expect(timeOf(() => readSettings({ ...valid, baseUrl }))).toBeLessThan(1000);
});

test('quickly joins a path to a base URL that contains many slashes', () => {
	const baseURL = `${valid.baseUrl}${'/'.repeat(100_000)}x`;
	const settings = readSettings(withToken({ ...valid }, 'token-0123456789'));
	expect(timeOf(() => authenticateRequest({ url: 'x', baseURL }, settings))).toBeLessThan(1000);
});

test('quickly refuses a media URL that contains many braces', () => {
	const url = '{'.repeat(100_000);
	expect(timeOf(() => linkIssue(url))).toBeLessThan(1000);
});

test('quickly reads hashtags that contain many separators', () => {
	const hashtags = ','.repeat(200_000);
	expect(timeOf(() => captionOf('Hello', { hashtags }))).toBeLessThan(50);
});

test.each(['\nhttps://api.example.com/v1/responses', 'https:api.example.com/v1/responses'])(
	'adds no secret to %j with a base URL of another origin',
	(url) => {
		const options = { url, baseURL: 'https://elsewhere.example', method: 'POST' as const };
		const settings = readSettings(withToken({ ...valid }, 'token-0123456789'));
		expect(authenticateRequest(options, settings)).toStrictEqual(options);
	},
);
