import { Hono, type Context } from 'hono';

import type { Adjustable } from './adjustable';
import type { ScriptedReply } from './chat/script';
import { writeJson } from './exact-json';
import type { FaultMix, FaultSpec } from './faults';
import type { Emulator } from './emulator';
import { ROUTES } from './routes';
import { snapshot } from './snapshot';
import type { RecipeChoice } from './webhook/recipe';
import type { DeliverOptions } from './webhook/delivery';

interface WebhookChange {
	url?: string | null;
	recipe?: RecipeChoice;
	dropEveryNth?: number;
	timeoutMs?: number;
	retryDelaysMs?: number[];
}

function reply(value: unknown = { ok: true }, status = 200): Response {
	const headers = {
		'content-type': 'application/json; charset=utf-8',
		'cache-control': 'no-store',
	};
	return new Response(writeJson(value), { status, headers });
}

async function body<T>(c: Context): Promise<T> {
	const text = await c.req.text();
	return (text === '' ? {} : JSON.parse(text)) as T;
}

/** A fault as JSON. `times` may be the text `Infinity`, because JSON has no such number. */
type JsonFault = (Omit<FaultSpec, 'times'> | Omit<FaultMix, 'times'>) & {
	times?: number | 'Infinity' | null;
};

type SettingsChange = Partial<Omit<Adjustable, 'requestsPerSecond'>> & {
	requestsPerSecond?: number | null;
};

/** Creates the control API, which receives and returns JSON. It refuses invalid input with HTTP 400. */
export function controlApi(emulator: Emulator): Hono {
	const api = new Hono();
	api.onError((error) => reply({ ok: false, error: error.message }, 400));

	api.get(ROUTES.state.path, () => reply(snapshot(emulator)));
	api.get(ROUTES.received.path, () => reply(emulator.received));
	api.get(ROUTES.secrets.path, () =>
		reply({ appSecret: emulator.appSecret, tokens: emulator.issued.secrets() }),
	);
	api.post(ROUTES.addFaults.path, async (c) => {
		const faults = [await body<JsonFault | JsonFault[]>(c)].flat();
		for (const { times, ...fault } of faults) {
			emulator.fault(times == null ? fault : { ...fault, times: Number(times) });
		}
		return reply();
	});
	api.delete(ROUTES.clearFaults.path, () => reply(emulator.clearFaults()));
	api.post(ROUTES.settings.path, async (c) => {
		const { requestsPerSecond, ...others } = await body<SettingsChange>(c);
		const quota = { requestsPerSecond: requestsPerSecond ?? undefined };
		emulator.adjust({ ...others, ...(requestsPerSecond === undefined ? {} : quota) });
		return reply();
	});
	api.post(ROUTES.reset.path, () => reply(emulator.reset()));
	api.post(ROUTES.advance.path, async (c) => {
		const { seconds } = await body<{ seconds: number }>(c);
		if (!Number.isFinite(seconds) || seconds < 0)
			throw new TypeError("'seconds' is not a number >= 0");
		await emulator.advance(seconds);
		return reply({ ok: true, now: new Date(emulator.clock.now()).toISOString() });
	});
	api.post(ROUTES.setWebhook.path, async (c) => {
		const change = await body<WebhookChange>(c);
		const { settings } = emulator.webhooks;
		emulator.setWebhook('url' in change ? (change.url ?? undefined) : settings.url, change.recipe);
		settings.dropEveryNth = change.dropEveryNth ?? settings.dropEveryNth;
		settings.timeoutMs = change.timeoutMs ?? settings.timeoutMs;
		settings.retryDelaysMs = change.retryDelaysMs ?? settings.retryDelaysMs;
		return reply();
	});
	api.post(ROUTES.deliver.path, async (c) => {
		const {
			event,
			body: raw,
			...options
		} = await body<{ event?: object; body?: string } & DeliverOptions>(c);
		const payload = raw ?? event;
		if (payload === undefined) throw new TypeError("Neither 'event' nor 'body' is given");
		return reply(await emulator.deliver(payload, options));
	});
	api.post(ROUTES.expireTokens.path, () => reply(emulator.expireTokens()));
	api.post(ROUTES.revokeTokens.path, () => reply(emulator.revokeTokens()));
	api.post(ROUTES.chatScript.path, async (c) => {
		const replies = await body<ScriptedReply[]>(c);
		emulator.scriptChat(replies);
		return reply({ ok: true, waiting: emulator.script.length });
	});
	api.all('/__emulator/*', () => reply({ ok: false, error: 'No such control route' }, 404));
	return api;
}
