import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';

import { controlApi } from './control';
import { Emulator } from './emulator';
import { DEFAULTS, type EmulatorOptions } from './options';
import { pages } from './pages';
import { servePlatform } from './serve-platform';

/** Starts an emulator on 127.0.0.1, and resolves when it listens. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
	const settings = { ...DEFAULTS, ...options };
	const app = new Hono<{ Bindings: HttpBindings }>();
	const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server;
	const emulator = new Emulator(settings, server);
	await listen(server, settings.port);
	emulator.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	app.route('/', controlApi(emulator));
	app.route('/', pages(emulator.media));
	app.all('*', async (c) => {
		await servePlatform(c.env.incoming, c.env.outgoing, emulator);
		return new Response(null, { headers: { 'x-hono-already-sent': 'true' } });
	});
	return emulator;
}

async function listen(server: Server, port: number): Promise<void> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => resolve());
	});
}
