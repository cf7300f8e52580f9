import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Emulator, startEmulator } from '../emulator';
import { whenAbandoned } from './abandoned';
import { stopChildren } from '../n8n/child';
import { furnish, type House } from './house';
import { lockFolder, remember, userFolder } from './memory';
import { tellWhereToLook } from './signpost';
import { tell } from './story';
import { install } from '../n8n/install';
import { N8n } from '../n8n/n8n';
import { pack, unpack } from '../n8n/pack';
import { freePort } from '../n8n/ports';
import { say, seconds, step } from '../n8n/progress';
import { Rest } from '../n8n/rest';

/** `npm run demo [-- --once]`: articles become posts, and one that fails is told of, in a real n8n. */

let emulator: Emulator | undefined;
let leaving = false;

/** Ends what was started, whatever state it is in. */
async function leave(code: number): Promise<void> {
	leaving = true;
	await stopChildren();
	await emulator?.stop();
	process.exit(code);
}

async function start() {
	lockFolder();
	const again = existsSync(userFolder);
	const memory = remember();
	say(again ? 'Starting with the data of the last time (.demo/).' : 'Starting for the first time.');
	await install();
	const tarball = await step('Building and packing the package', pack);
	unpack(tarball, userFolder);

	const { appSecret, encryptionKey } = memory;
	emulator = await startEmulator({ port: await freePort(memory.emulatorPort), appSecret });
	const title = `Starting n8n${again ? '' : ' (the first time it sets up its database)'}`;
	const n8n = await step(title, async () => {
		return await N8n.start({ userFolder, port: memory.n8nPort, encryptionKey });
	});
	memory.n8nPort = Number(new URL(n8n.url).port);
	memory.emulatorPort = Number(new URL(emulator.url).port);

	const rest = new Rest(n8n.url);
	const house = await step('Setting up login, credential and workflows', async () => {
		return await furnish(rest, memory, emulator!);
	});
	return { memory, n8n, house };
}

/** Whether everything went as told. */
const works = async (house: House): Promise<boolean> =>
	await tell(house).then(
		() => true,
		(error: Error) => {
			say(`\nHere the story ends: ${error.message}`);
			return false;
		},
	);

async function main(): Promise<void> {
	const started = Date.now();
	const { values } = parseArgs({ options: { once: { type: 'boolean' } } });
	const { memory, n8n, house } = await start();
	const success = await works(house);
	say(`\n${success ? 'It works' : 'It did not work'}; ${seconds(started)} in all.`);
	if (values.once) return await leave(success ? 0 : 1);
	tellWhereToLook(house, memory);
	await n8n.ended;
	if (leaving) return;
	say(`n8n has ended by itself. Its log: ${userFolder}/n8n.log`);
	await leave(1);
}

function stop(code: number): void {
	if (leaving) return;
	say('\nStopping n8n and the platform …');
	void leave(code);
}

process.on('SIGINT', () => stop(0));
process.on('SIGTERM', () => stop(143));
process.on('SIGHUP', () => stop(129));
whenAbandoned(() => stop(143));

main().catch(async (error: Error) => {
	if (leaving) return;
	say(`\nThe demo could not go on: ${error.message}`);
	say('If it stays like this, remove the folder .demo/ to start all over.');
	await leave(1);
});
