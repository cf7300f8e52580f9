import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Answer } from './answer';
import { faultAnswer, lostToServerError, overQuota } from './fault-answer';
import { operationOf, platformRoute } from './operation-of';
import { perform } from './perform';
import { parsed, type ReceivedRequest } from './request-record';
import { sendAnswer } from './send-answer';
import type { EmulatorState } from './state';

/** How long `slow` and `slow-first-token` wait when no delayMs is given. */
const DEFAULT_DELAY_MS = 1_000;

/** One platform request from arrival to the end of its answer: recorded, struck by faults, done. */
export async function servePlatform(
	incoming: IncomingMessage,
	out: ServerResponse,
	state: EmulatorState,
): Promise<void> {
	const request = await receive(incoming, state);
	if (!request) return;
	const wait = async (ms: number) => {
		const { signal } = state.stopping;
		if (ms > 0) await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
	};
	const send = async (
		answer: Answer,
		spoiled: { firstFrameAfterMs?: number; cut?: boolean } = {},
	) => {
		await wait(state.settings.latencyMs);
		if (out.destroyed) return;
		request.status = answer.status;
		out.once('close', () => (out.writableFinished ? undefined : (request.status = null)));
		await sendAnswer(out, answer, { ...spoiled, signal: state.stopping.signal });
	};

	const { operation } = request;
	if (operation === 'createPost' && !state.quota.admits(state.settings.requestsPerSecond)) {
		return await send(overQuota(operation));
	}
	const onArrival = state.faults.take(request, 'before');
	if (onArrival) {
		request.fault = onArrival.kind;
		const answer = faultAnswer(onArrival, operation, request);
		return answer === 'reset' ? void incoming.socket.resetAndDestroy() : await send(answer);
	}

	const route = platformRoute(pathname(request), state.settings.platformName);
	const answer = perform(route, request, state);
	request.tookEffect = answer.tookEffect;
	const fault = answer.tookEffect ? state.faults.take(request, 'after') : undefined;
	request.fault = fault?.kind;
	switch (fault?.kind) {
		case 'server-error-after':
			return await send(lostToServerError(fault, operation));
		case 'reset-after':
			return void incoming.socket.resetAndDestroy();
		case 'no-answer':
			return await gone(out);
		case 'truncated-json':
			return await send({ ...answer, ...half(answer) });
		case 'slow':
			await wait(fault.delayMs ?? DEFAULT_DELAY_MS);
			return await send(answer);
		case 'slow-first-token':
			if (!answer.frames) await wait(fault.delayMs ?? DEFAULT_DELAY_MS);
			return await send(answer, { firstFrameAfterMs: fault.delayMs ?? DEFAULT_DELAY_MS });
		case 'stream-cut':
			return await send(answer, { cut: true });
		default:
			return await send(answer);
	}
}

async function receive(
	incoming: IncomingMessage,
	state: EmulatorState,
): Promise<ReceivedRequest | undefined> {
	const connectionId = state.connections.idOf(incoming.socket);
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
	return state.record({ at, operation, method, path, headers, rawBody, body, connectionId });
}

function pathname({ path }: { path: string }): string {
	return path.replace(/\?.*$/s, '');
}

function half({ body, frames }: Answer): Pick<Answer, 'body' | 'frames'> {
	const half = frames?.slice(0, Math.floor(frames.length / 2));
	return {
		body: Array.from(body)
			.slice(0, Math.floor(body.length / 2))
			.join(''),
		frames: half,
	};
}

async function gone(out: ServerResponse): Promise<void> {
	if (!out.destroyed) await new Promise((resolve) => out.once('close', resolve));
}
