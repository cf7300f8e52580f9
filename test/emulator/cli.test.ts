import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { cliOptions } from './cli-options';

describe('The command line', () => {
	it('prints one line of JSON without the secret, serves requests, and stops on SIGTERM', async () => {
		// One process, because tsx's own command loses signals on a busy machine.
		const program = ['--import', 'tsx', join(__dirname, 'cli.ts')];
		const flags = ['--app-id', 'shop', '--app-secret', 'very-secret'];
		const child = spawn(process.execPath, [...program, ...flags]);
		child.stdout.setEncoding('utf8');
		const [line] = (await once(child.stdout, 'data')) as [string];
		expect(line).toMatch(/^\{.*\}\n$/);
		expect(line).not.toContain('very-secret');
		const ready = JSON.parse(line);
		expect(ready).toMatchObject({ appId: 'shop', page: `${ready.url}/`, platformName: 'Photo' });
		expect((await fetch(ready.page)).status).toBe(200);
		child.kill('SIGTERM');
		expect(await once(child, 'exit')).toEqual([0, null]);
	});

	it('reads every flag', () => {
		const flags =
			'--port 81 --app-id a --app-secret s --webhook-url http://x/y --webhook-recipe timestampBody --latency 5 --requests-per-second 20 --publish-after 0 --fetch-media';
		expect(cliOptions(flags.split(' '))).toEqual({
			...{ webhookUrl: 'http://x/y', webhookRecipe: 'timestampBody', help: undefined },
			options: {
				...{ port: 81, appId: 'a', appSecret: 's', latencyMs: 5, requestsPerSecond: 20 },
				...{ publishAfterSeconds: 0, fetchMedia: true },
			},
		});
		expect(cliOptions(['--help'])).toMatchObject({ help: true, options: {} });
	});

	it.each([
		[['--nope'], /--nope/],
		[['--latency='], /--latency must be a whole number/],
		[['--webhook-url', 'ftp://x'], /--webhook-url must be an http or https URL/],
		[['--webhook-recipe', 'rot13'], /No such recipe: 'rot13'/],
	])('refuses %j', (flags, message) => {
		expect(() => cliOptions(flags)).toThrow(message);
	});
});
