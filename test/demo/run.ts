import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Emulator, startEmulator } from '../emulator';
import { onParentExit } from './parentExit';
import { stopChildren } from '../n8n/child';
import { setUpDemo, type DemoSetup } from './demoSetup';
import { lockFolder, loadState, userFolder } from './savedState';
import { printNextSteps } from './nextSteps';
import { runScenario } from './scenario';
import { install } from '../n8n/install';
import { N8n } from '../n8n/n8n';
import { packed, unpack } from '../n8n/pack';
import { freePort } from '../n8n/ports';
import { say, seconds, step } from '../n8n/progress';
import { Rest } from '../n8n/rest';

let emulator: Emulator | undefined;
let isStopping = false;

/** Stops everything that was started. */
async function shutDown(code: number): Promise<void> {
	isStopping = true;
	await stopChildren();
	await emulator?.stop();
	process.exit(code);
}

async function start() {
	lockFolder();
	const again = existsSync(userFolder);
	const state = loadState();
	say(again ? 'Starting with the data of the last run (.demo/).' : 'Starting for the first time.');
	const [tarball] = await Promise.all([
		step('Building and packing the package', packed),
		install(),
	]);
	unpack(tarball, userFolder);

	const { appSecret, encryptionKey } = state;
	emulator = await startEmulator({
		port: await freePort(state.emulatorPort),
		appSecret,
		fetchMedia: true,
	});
	const title = `Starting n8n${again ? '' : ' (and creating its database)'}`;
	const n8n = await step(title, async () => {
		return await N8n.start({ userFolder, port: state.n8nPort, encryptionKey });
	});
	state.n8nPort = Number(new URL(n8n.url).port);
	state.emulatorPort = Number(new URL(emulator.url).port);

	const rest = new Rest(n8n.url);
	const setup = await step('Setting up login, credential and workflows', async () => {
		return await setUpDemo(rest, state, emulator!);
	});
	return { state, n8n, setup };
}

/** Whether everything worked. */
const succeeds = async (setup: DemoSetup): Promise<boolean> =>
	await runScenario(setup).then(
		() => true,
		(error: Error) => {
			say(`\nThe demo failed: ${error.message}`);
			return false;
		},
	);

async function main(): Promise<void> {
	const started = Date.now();
	const { values } = parseArgs({ options: { once: { type: 'boolean' } } });
	const { state, n8n, setup } = await start();
	const success = await succeeds(setup);
	say(
		`\n${success ? 'The demo succeeded' : 'The demo did not succeed'} after ${seconds(started)}.`,
	);
	if (values.once) return await shutDown(success ? 0 : 1);
	printNextSteps(setup, state);
	await n8n.ended;
	if (isStopping) return;
	say(`n8n has ended unexpectedly. Its log: ${userFolder}/n8n.log`);
	await shutDown(1);
}

function stop(code: number): void {
	if (isStopping) return;
	say('\nStopping n8n and the platform …');
	void shutDown(code);
}

process.on('SIGINT', () => stop(0));
process.on('SIGTERM', () => stop(143));
process.on('SIGHUP', () => stop(129));
onParentExit(() => stop(143));

main().catch(async (error: Error) => {
	if (isStopping) return;
	say(`\nThe demo could not continue: ${error.message}`);
	say('If this happens again, delete the folder .demo/ and start the demo again.');
	await shutDown(1);
});
