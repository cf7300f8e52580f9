import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Answer } from './answer';
import { faultAnswer, overQuota } from './fault-answer';
import { perform } from './perform';
import { parsed, type ReceivedRequest } from './request-record';
import { operationOf, platformRoute } from './routes';
import { sendAnswer } from './send-answer';
import { applyFault } from './apply-fault';
import type { Emulator } from './emulator';

/** Records a platform request, applies faults, performs the request and sends the response. */
export async function servePlatform(
	incoming: IncomingMessage,
	out: ServerResponse,
	state: Emulator,
): Promise<void> {
	const request = await receive(incoming, state);
	if (!request) return;
	const wait = async (ms: number) => {
		const { signal } = state.stopping;
		if (ms > 0) await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
	};
	const send = async (answer: Answer, isCut = false) => {
		await wait(state.settings.latencyMs);
		if (out.destroyed) return;
		request.status = answer.status;
		out.once('close', () => (out.writableFinished ? undefined : (request.status = null)));
		await sendAnswer(out, answer, isCut);
	};

	const { operation } = request;
	if (operation === 'createPost' && !state.quota.admits(state.settings.requestsPerSecond)) {
		return await send(overQuota());
	}
	const onArrival = state.faults.take(request, 'before');
	if (onArrival) {
		request.fault = onArrival.kind;
		const answer = faultAnswer(onArrival, request, state.settings);
		return answer === 'reset' ? void incoming.socket.resetAndDestroy() : await send(answer);
	}

	const route = platformRoute(pathname(request), state.settings.platformName);
	const answer = perform(route, request, state);
	request.tookEffect = answer.tookEffect;
	const fault = answer.tookEffect ? state.faults.take(request, 'after') : undefined;
	request.fault = fault?.kind;
	if (!fault) return await send(answer);
	if (fault.kind === 'reset-after') return void incoming.socket.resetAndDestroy();
	if (fault.kind === 'no-answer') return await waitUntilClosed(out);
	const damaged = applyFault(fault, answer, request, state.settings);
	await wait(damaged.waitMs ?? 0);
	await send(damaged.answer, damaged.cut);
}

async function receive(
	incoming: IncomingMessage,
	state: Emulator,
): Promise<ReceivedRequest | undefined> {
	state.connections.add(incoming.socket);
	const at = new Date().toISOString();
	const rawBody = await text(incoming).catch(() => undefined);
	if (rawBody === undefined) return undefined;
	const { method = 'GET', url: path = '/' } = incoming;
	const headers = Object.fromEntries(
		Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
	);
	const route = platformRoute(pathname({ path }), state.settings.platformName);
	const operation = operationOf(route);
	const body = parsed(rawBody);
	return state.record({ at, operation, method, path, headers, rawBody, body });
}

function pathname({ path }: { path: string }): string {
	return path.replace(/\?.*$/s, '');
}

async function waitUntilClosed(out: ServerResponse): Promise<void> {
	if (!out.destroyed) await new Promise((resolve) => out.once('close', resolve));
}
