import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';

import { controlApi } from './control';
import type { Emulator } from './emulator';
import { settle, type EmulatorOptions } from './options';
import { pages } from './pages';
import { servePlatform } from './serve-platform';
import { EmulatorState } from './state';
import { recipeOf } from './webhook/recipe';

/** Starts an emulator on 127.0.0.1, and resolves when it listens. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
	const settings = settle(options);
	const state = new EmulatorState(settings);
	const app = new Hono<{ Bindings: HttpBindings }>();
	const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
	await listen(server, settings.port);
	const { port } = server.address() as AddressInfo;
	const emulator = emulatorOf(state, `http://127.0.0.1:${port}`, server);

	app.route('/', controlApi(emulator, state));
	app.route('/', pages(state.media));
	app.all('*', async (c) => {
		await servePlatform(c.env.incoming, c.env.outgoing, state);
		return new Response(null, { headers: { 'x-hono-already-sent': 'true' } });
	});
	return emulator;
}

function emulatorOf(state: EmulatorState, url: string, server: Server): Emulator {
	const { settings, webhooks } = state;
	return {
		url,
		appId: settings.appId,
		appSecret: settings.appSecret,
		received: state.received,
		addresses: state.addresses,
		posts: state.posts.posts,
		deliveries: webhooks.deliveries,
		get tokens() {
			return state.tokens.list();
		},
		get connections() {
			return state.connections.counts();
		},
		fault: (fault) => state.faults.add(fault),
		clearFaults: () => state.faults.clear(),
		adjust: (change) => state.adjust(change),
		expireTokens: () => state.tokens.expireAll(),
		revokeTokens: () => state.tokens.revokeAll(),
		scriptChat: (replies) => state.script.add(replies),
		advance: async (seconds) => await state.advance(seconds),
		setWebhook(target, recipe) {
			webhooks.settings.recipe = recipe ? recipeOf(recipe) : webhooks.settings.recipe;
			webhooks.settings.url = target;
		},
		deliver: async (event, deliverOptions) => await webhooks.send(event, deliverOptions).done,
		reset: () => state.reset(),
		async stop() {
			await state.stop();
			const closed = new Promise((resolve) => server.close(resolve));
			server.closeAllConnections();
			await closed;
		},
	};
}

async function listen(server: Server, port: number): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => resolve());
	});
}
