import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultSpec } from '../../emulator';
import { chatsAt } from '../harness/chats';
import { usePlatform } from '../harness/platform';
import { soon, until } from '../harness/storage';
import {
	modelMethods,
	piecesOf,
	errorTextOf,
	startWithModel,
	runWithModel,
} from '../harness/modelTask';

const platform = usePlatform();
afterEach(() => {
	expect(platform.received('getAccessToken')).toStrictEqual([]);
});

const chats = () => chatsAt(platform);
const fault = (kind: FaultSpec['kind'], more: Partial<FaultSpec> = {}) =>
	platform.emulator.fault({ kind, ...more });

describe.each(modelMethods)('A chat model called with $method', ({ method, ask }) => {
	test('aborts its request when the execution is cancelled', async () => {
		fault(method === 'stream' ? 'slow-first-token' : 'slow', { delayMs: 8000 });
		const running = startWithModel(platform, async (model) => await ask(model, 'Hi'));
		await until(() => chats().length === 1);
		const from = Date.now();
		running.cancel();
		await running.done;
		await until(() => platform.emulator.connections.open === 0);
		expect(Date.now() - from).toBeLessThan(6000);
		await soon();
		expect(chats()).toHaveLength(1);
	});

	test('does not resend after the execution is cancelled', async () => {
		fault('server-error-before', { times: Infinity });
		const running = startWithModel(platform, async (model) => await ask(model, 'Hi'), {
			options: { maxRetries: 10 },
		});
		await until(() => chats()[0]?.status === 500);
		running.cancel();
		await running.done;
		await sleep(700);
		expect(chats()).toHaveLength(1);
	});
});

describe('A stream', () => {
	const pieces = async (options = {}) =>
		await runWithModel(platform, async (model) => await piecesOf(model, 'one two three'), {
			options,
		});

	test.each(['stream-cut', 'truncated-json'] as const)(
		'fails without a resend when it is cut off in the middle (%s)',
		async (kind) => {
			fault(kind, { times: Infinity });
			const outcome = await pieces();
			expect(outcome.error!.message).toBe(
				'No usable response to the chat request: the answer was cut off in the middle',
			);
			expect(errorTextOf(outcome)).toContain('the answer was cut off in the middle');
			expect(chats()).toHaveLength(1);
		},
	);

	test.each(['stream-cut', 'stream-error'] as const)(
		'is requested again when it is cut off before its first piece (%s)',
		async (kind) => {
			fault(kind, { afterFrames: 0 });
			const { value, error } = await pieces();
			expect(error).toBeUndefined();
			expect(value!.map(({ text }) => text).join('')).toBe('You said: one two three');
			expect(chats()).toHaveLength(2);
		},
	);

	test('fails when it contains an error in the middle', async () => {
		fault('stream-error', { message: '系统繁忙', times: Infinity });
		const { error } = await pieces();
		expect(error!.message).toContain('“系统繁忙”');
		expect(chats()).toHaveLength(1);
	});
});
