import { parseArgs } from 'node:util';

import type { EmulatorOptions } from './options';
import { recipeOf, type RecipeName } from './webhook/recipe';

export const HELP = `Usage: npm run emulator -- [options]

  --port <n>                TCP port on 127.0.0.1; 0 picks a free one (default 0)
  --app-id <id>             application id (default demo_app)
  --app-secret <secret>     application secret
  --webhook-url <url>       where status changes are sent
  --webhook-recipe <name>   body, timestampBody, standardWebhooks, bodySha512 or sortedFields
  --latency <ms>            added to each platform answer (default 0)
  --requests-per-second <n> createPost requests allowed per second; all others get HTTP 429
                            with Retry-After 1 (default: no limit)
  --publish-after <s>       seconds from accepted to published (default 3)
  --fetch-media             fetches the media of each post; a post whose media cannot be fetched fails
                            (default: no URL is fetched)
  --help                    this text

Prints one line of JSON when it is ready; SIGTERM and SIGINT stop it.
`;

/** The flags of the command line. */
export interface Flags {
	options: EmulatorOptions;
	webhookUrl?: string;
	webhookRecipe?: RecipeName;
	help?: boolean;
}

/** Reads the command line. Throws an Error that names an invalid flag. */
export function cliOptions(args: string[]): Flags {
	const text = { type: 'string' } as const;
	const isSet = { type: 'boolean' } as const;
	const { values } = parseArgs({
		args,
		options: {
			...{ port: text, 'app-id': text, 'app-secret': text, latency: text },
			...{ 'webhook-url': text, 'webhook-recipe': text, 'requests-per-second': text },
			...{ 'publish-after': text, 'fetch-media': isSet, help: isSet },
		},
	});
	const number = (flag: keyof typeof values): number | undefined => {
		const value = values[flag];
		if (value === undefined || /^\d+$/.test(String(value)))
			return value === undefined ? value : Number(value);
		throw new Error(`--${flag} must be a whole number of at least 0, not '${value}'`);
	};
	const { 'webhook-url': webhookUrl, 'webhook-recipe': recipe, help } = values;
	if (webhookUrl !== undefined && !/^https?:/.test(webhookUrl)) {
		throw new Error(`--webhook-url must be an http or https URL, not '${webhookUrl}'`);
	}
	const webhookRecipe = recipe as RecipeName | undefined;
	recipeOf(webhookRecipe);
	const given = {
		port: number('port'),
		appId: values['app-id'],
		appSecret: values['app-secret'],
		latencyMs: number('latency'),
		requestsPerSecond: number('requests-per-second'),
		publishAfterSeconds: number('publish-after'),
		fetchMedia: values['fetch-media'],
	};
	const options = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
	return { options, webhookUrl, webhookRecipe, help };
}
