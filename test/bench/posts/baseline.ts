import { readFileSync } from 'node:fs';
import { pathOf } from '../../emulator';
import { DEFAULTS } from '../../emulator/options';
import { expectedSignature } from '../../emulator/token-signature';
import { Load } from '../load';
import type { Cost } from './benchSetup';
import { bodyOf, type Item } from './items';
import type { Platform } from './platform';

const HEADERS = { 'content-type': 'application/json' };

async function accessToken(load: Load): Promise<string> {
	const { appId, appSecret, platformName } = DEFAULTS;
	const request = { app_id: appId, sign_ver: '1.0', timestamp: Date.now() };
	const signature = expectedSignature(request, appSecret);
	const body = JSON.stringify({ ...request, signature });
	const path = pathOf('getAccessToken', platformName);
	const { text } = await load.send({ path, headers: HEADERS, body });
	return (JSON.parse(text) as { data: { access_token: string } }).data.access_token;
}

/** Posts all items without n8n, with a valid token and a number of busy keep-alive connections. */
export async function postWithoutN8n(
	{ url, distance }: Platform,
	connections: number,
	items: Item[],
): Promise<Cost> {
	const load = new Load(url, connections, distance && readFileSync(distance.certificate));
	const headers = { ...HEADERS, 'x-legacy-token': await accessToken(load) };
	const path = pathOf('createPost', DEFAULTS.platformName);
	const cpuBefore = process.cpuUsage();
	const started = performance.now();
	await Promise.all(
		items.map(async (item) => await load.send({ path, headers, body: bodyOf(item) })),
	);
	const seconds = (performance.now() - started) / 1000;
	const { user, system } = process.cpuUsage(cpuBefore);
	await load.stop();
	return { seconds, cpuMs: (user + system) / 1000, memoryMb: NaN, errors: [] };
}
