import { delta, done, event, stop, useEventServer } from '../harness/eventServer';

const server = useEventServer();

const half = delta({ content: 'Half' });

describe('An error in a stream', () => {
	const refusal = { success: false, code: 2150, message: '余额不足', data: null };

	test.each([
		['an error object', event({ error: { message: '余额不足', code: 'x' } })],
		['an error that is text', event({ error: '余额不足' })],
		['the business envelope', event(refusal)],
		['an event named error', event({ message: '余额不足', code: 1 }, 'error')],
		['an event named error with an error object', event({ error: '余额不足' }, 'error')],
		['an event named error with the business envelope', event(refusal, 'error')],
	])("fails the request with the platform's message: %s", async (_, broken) => {
		for (const pieces of [
			[half, broken, stop, done],
			[broken, done],
			[half, stop, broken],
		]) {
			const { error } = await server.read(...pieces);
			expect(error!.message).toBe(
				'No usable response to the chat request: the platform ended the answer early: “余额不足”',
			);
			expect(error!.context).toMatchObject({ data: { outcome: 'unknown' } });
		}
	});

	test.each([
		['an event named error', event({ code: 1 }, 'error')],
		[
			'an event named error with a piece of a reply',
			delta({ content: 'x' }).replace('', 'event: error\n'),
		],
		['the business envelope', event({ success: false })],
		['an empty error object', event({ error: {} })],
	])('fails the request when it contains no message: %s', async (_, broken) => {
		const { error } = await server.read(half, broken, stop, done);
		expect(error!.message).toBe(
			'No usable response to the chat request: the platform ended the answer early: no message',
		);
	});

	test.each([[{ success: true, code: 200 }], [{ message: 'x', code: 7 }], [{ error: null }]])(
		'is not reported for an event that is not an error: %j',
		async (more) => {
			const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }];
			const { texts, error } = await server.read(event({ ...more, choices }), stop, done);
			expect(error).toBeUndefined();
			expect(texts).toStrictEqual(['Hi']);
		},
	);

	test.each([[{}], ['']])(
		'is not reported when an event contains an empty error: %j',
		async (error) => {
			const choices = [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }];
			const read = await server.read(event({ error, choices }), stop, done);
			expect(read.error).toBeUndefined();
			expect(read.texts).toStrictEqual(['Hi']);
		},
	);
});

describe('A complete stream', () => {
	test('may have [DONE] and no finish reason', async () => {
		const { texts, error, answer } = await server.read(half, done);
		expect(error).toBeUndefined();
		expect(texts).toStrictEqual(['Half']);
		expect(answer!.text).toBe('Half');
	});

	test('may break the connection after the finish reason', async () => {
		server.response.ending = (response) => void setTimeout(() => response.destroy(), 50);
		for (const pieces of [
			[half, stop],
			[half, stop, event({ choices: [], usage: {} })],
		]) {
			const { texts, error } = await server.read(...pieces);
			expect(error).toBeUndefined();
			expect(texts).toStrictEqual(['Half']);
		}
	});

	test('may keep the connection open after the finish reason', async () => {
		server.response.ending = () => {};
		const { texts, error, answer } = await server.read(half, stop);
		expect(error).toBeUndefined();
		expect(texts).toStrictEqual(['Half']);
		expect(answer!.response_metadata).toMatchObject({ finish_reason: 'stop' });
	});

	test('may have a content type in upper case', async () => {
		server.response.contentType = 'Text/Event-Stream; charset=UTF-8';
		expect((await server.read(half, stop, done)).texts).toStrictEqual(['Half']);
	});

	test('may send its text as content parts', async () => {
		const parts = [{ type: 'text', text: 'One' }, { type: 'image' }, { text: ' two' }];
		const pieces = [delta({ content: parts }), delta({ content: [] }), delta({ content: '.' })];
		const { texts, error } = await server.read(...pieces, stop, done);
		expect(error).toBeUndefined();
		expect(texts).toStrictEqual(['One two', '.']);
	});
});
