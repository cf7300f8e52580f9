import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { wasSent, type RequestTracker } from '../../nodes/SocialOpenPlatform/protocol/connection';
import { WatchedBody, watchedBody } from '../../nodes/SocialOpenPlatform/transport/watchedBody';
import { loopback } from '../loopback';

const newTracker = (): RequestTracker => ({
	signal: new AbortController().signal,
	onAuthenticated: () => {},
});
const fields = JSON.parse(
	'{"text":"Grüße","list":[1,{"two":2}],"__proto__":3,"constructor":{"prototype":4}}',
) as Record<string, unknown>;

describe('WatchedBody', () => {
	test('writes itself to the request, which shows whether it has been sent', async () => {
		let body = '';
		const server = await loopback((incoming: IncomingMessage, response) => {
			incoming.on('data', (data) => (body += data));
			incoming.on('end', () => response.end());
		});
		const tracker = newTracker();
		const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
		const outgoing: ClientRequest = request(server.url, { method: 'POST', headers });
		const answered = new Promise((resolve) => outgoing.once('response', resolve));
		new WatchedBody(fields, tracker).pipe(outgoing as never);
		expect(tracker.request).toBe(outgoing);
		expect(wasSent(tracker.request)).toBeUndefined();
		await answered;
		expect(wasSent(tracker.request)).toBe(true);
		expect(body).toBe(JSON.stringify(fields));
		expect(server.received[0]!.headers).toMatchObject({
			'content-type': 'application/json',
			'content-length': String(Buffer.byteLength(JSON.stringify(fields))),
		});
		await server.stop();
	});

	test('becomes the same JSON in a client that does not pipe it', () => {
		const body = new WatchedBody(fields, newTracker());
		expect(JSON.stringify(body)).toBe(JSON.stringify(fields));
		expect(Object.keys(body)).toStrictEqual(Object.keys(fields));
	});

	test('is not used if n8n keeps the error of its HTTP client', () => {
		const body = watchedBody(fields, newTracker());
		expect(body).not.toBeInstanceOf(WatchedBody);
		expect(JSON.stringify(body)).toBe(JSON.stringify(fields));
	});
});
