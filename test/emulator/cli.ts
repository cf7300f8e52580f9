import { cliOptions, HELP } from './cli-options';
import { DEFAULTS } from './options';
import { pathOf } from './routes';
import { startEmulator } from './start-emulator';

/** Runs an emulator in this process until SIGTERM or SIGINT. */
async function main(): Promise<void> {
	const { options, webhookUrl, webhookRecipe, help } = cliOptions(process.argv.slice(2));
	if (help) return void process.stdout.write(HELP);
	const emulator = await startEmulator(options);
	if (webhookUrl) emulator.setWebhook(webhookUrl, webhookRecipe);
	const { platformName } = DEFAULTS;
	const ready = {
		url: emulator.url,
		page: `${emulator.url}/`,
		appId: emulator.appId,
		platformName,
		createPost: pathOf('createPost', platformName),
		pid: process.pid,
	};
	const stop = () => void emulator.stop().then(() => process.exit(0));
	process.once('SIGTERM', stop);
	process.once('SIGINT', stop);
	process.stdout.write(`${JSON.stringify(ready)}\n`);
}

main().catch((error: unknown) => {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
	process.exitCode = 1;
});
