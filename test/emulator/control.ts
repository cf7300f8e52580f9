import { Hono } from 'hono';

import type { Emulator } from './emulator';
import { writeJson } from './exact-json';
import { ROUTES } from './routes';
import { snapshot } from './snapshot';

function reply(value: unknown): Response {
	const headers = {
		'content-type': 'application/json; charset=utf-8',
		'cache-control': 'no-store',
	};
	return new Response(writeJson(value), { headers });
}

/** Creates the routes for the page and for programs in other processes. */
export function controlApi(emulator: Emulator): Hono {
	const api = new Hono();
	api.get(ROUTES.state.path, () => reply(snapshot(emulator)));
	api.get(ROUTES.received.path, () => reply(emulator.received));
	api.post(ROUTES.reset.path, () => reply(emulator.reset()));
	return api;
}
