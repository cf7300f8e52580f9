import type { Emulator } from './index';
import { emulatorAroundTests } from './around-tests';
import { asking, COMPLETIONS, dataOf, isOver, RESPONSES, textIn } from './chat-frames';
import type { TestClient } from './test-client';

let emulator: Emulator;
let client: TestClient;

emulatorAroundTests((...started) => ([emulator, client] = started));

describe.each([COMPLETIONS, RESPONSES])('Faults in a response of %s', (path) => {
	const arriving = async (stream: boolean) => await client.measureChat(path, asking(path, stream));

	it('close the connection in the middle of a stream with stream-cut', async () => {
		emulator.fault({ kind: 'stream-cut' });
		const { status, text, broken } = await arriving(true);
		expect([status, broken, isOver(text)]).toStrictEqual([200, true, false]);
		expect(textIn(text)).toMatch(/^You/);
		expect(text).toMatch(/data: \{"id":"cut$/);
		expect(emulator.received.at(-1)).toMatchObject({ fault: 'stream-cut', status: null });
	});

	it('leave out the end of even a short stream with stream-cut', async () => {
		for (const afterFrames of [undefined, 99]) {
			emulator.scriptChat([{}]);
			emulator.fault({ kind: 'stream-cut', afterFrames });
			const { text, broken } = await arriving(true);
			expect([broken, isOver(text)]).toStrictEqual([true, false]);
		}
	});

	it('can close the connection before the first piece with stream-cut', async () => {
		emulator.fault({ kind: 'stream-cut', afterFrames: 0 });
		emulator.fault({ kind: 'stream-cut', afterFrames: 1 });
		const none = await arriving(true);
		const one = await arriving(true);
		expect([none.broken, dataOf(none.text), textIn(none.text)]).toStrictEqual([true, [], '']);
		expect([one.broken, dataOf(one.text).length, textIn(one.text)]).toStrictEqual([true, 1, '']);
	});

	it('close the connection in the middle of a response without a stream with stream-cut', async () => {
		const { text: full } = await arriving(false);
		emulator.fault({ kind: 'stream-cut' });
		const { status, text, broken } = await arriving(false);
		expect([status, broken]).toStrictEqual([200, true]);
		expect(text.length).toBeLessThan(full.length);
		expect(text).toBe(full.slice(0, text.length));
	});

	it('end a stream properly but too early with truncated-json', async () => {
		emulator.fault({ kind: 'truncated-json' });
		const { text, broken } = await arriving(true);
		expect([broken, isOver(text)]).toStrictEqual([false, false]);
		expect(textIn(text)).toMatch(/^You/);
	});

	it('send an error in the middle of a stream and end it with stream-error', async () => {
		emulator.fault({ kind: 'stream-error', message: 'Overloaded.' });
		const { text, broken } = await arriving(true);
		expect([broken, isOver(text)]).toStrictEqual([false, false]);
		expect(textIn(text)).toMatch(/^You/);
		const frames = dataOf(text);
		if (path === COMPLETIONS) {
			expect(frames.at(-1).error).toMatchObject({ message: 'Overloaded.', type: 'server_error' });
		} else {
			const numbered = { sequence_number: frames.length - 1 };
			const error = { type: 'error', message: 'Overloaded.', code: 'server_error', ...numbered };
			expect(frames.at(-1)).toMatchObject(error);
			expect(text).toContain('event: error\n');
		}
	});

	it('do not affect a response without a stream with stream-error', async () => {
		emulator.fault({ kind: 'stream-error', afterFrames: 0 });
		emulator.fault({ oneOf: [{ kind: 'stream-error' }] });
		expect((await arriving(false)).status).toBe(200);
		expect(emulator.received.at(-1)?.fault).toBeUndefined();
		for (let n = 0; n < 2; n++) expect((await arriving(true)).text).toContain('server_error');
		expect((await arriving(true)).text).not.toContain('server_error');
	});

	it('delay the first piece of a stream but not its headers with slow-first-token', async () => {
		emulator.fault({ kind: 'slow-first-token', delayMs: 1_000 });
		const { headersAfterMs, firstAfterMs, text, broken } = await arriving(true);
		expect(headersAfterMs).toBeLessThan(firstAfterMs - 100);
		expect(firstAfterMs).toBeGreaterThanOrEqual(995);
		expect([broken, isOver(text)]).toStrictEqual([false, true]);
	});

	it('delay a response without a stream with slow-first-token', async () => {
		emulator.fault({ kind: 'slow-first-token', delayMs: 100 });
		const { headersAfterMs, broken } = await arriving(false);
		expect(headersAfterMs).toBeGreaterThanOrEqual(95);
		expect(broken).toBe(false);
	});
});
