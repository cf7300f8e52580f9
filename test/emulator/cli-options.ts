import { parseArgs } from 'node:util';

import { HEADER_NAME } from './adjustable';
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
  --chat-auth-header <name> header in which chat requests carry the secret (default authorization)
  --chat-auth-prefix <text> text before the secret in that header; may be empty (default Bearer)
  --clock-speed <n>         emulator seconds per real second (default 1)
  --token-lifetime <s>      seconds a token lives (default 7200)
  --publish-after <s>       emulator seconds from accepted to published (default 3)
  --fetch-media             fetches the media of each post; a post whose media cannot be fetched fails
                            (default: no URL is fetched)
  --help                    this text

Prints one line of JSON when it is ready; SIGTERM and SIGINT stop it.
`;

const text = { type: 'string' } as const;

const FLAGS = {
	port: text,
	'app-id': text,
	'app-secret': text,
	'webhook-url': text,
	'webhook-recipe': text,
	latency: text,
	'requests-per-second': text,
	'chat-auth-header': text,
	'chat-auth-prefix': text,
	'clock-speed': text,
	'token-lifetime': text,
	'publish-after': text,
	'fetch-media': { type: 'boolean' },
	help: { type: 'boolean' },
} as const;

/** Reads the command line, or returns `help`. Throws an Error that names an invalid flag. */
export function cliOptions(args: string[]): EmulatorOptions | 'help' {
	const { values } = parseArgs({ args, options: FLAGS, strict: true });
	if (values.help) return 'help';
	const recipe = values['webhook-recipe'];
	if (recipe !== undefined) recipeOf(recipe as RecipeName);
	return {
		port: number('port', values.port, { min: 0, max: 65_535, whole: true }),
		appId: filled('app-id', values['app-id']),
		appSecret: filled('app-secret', values['app-secret']),
		webhookUrl: url('webhook-url', values['webhook-url']),
		webhookRecipe: recipe as RecipeName | undefined,
		latencyMs: number('latency', values.latency, { min: 0 }),
		requestsPerSecond: number('requests-per-second', values['requests-per-second'], { min: 1 }),
		chatAuthHeader: header('chat-auth-header', values['chat-auth-header']),
		chatAuthPrefix: values['chat-auth-prefix'],
		clockSpeed: number('clock-speed', values['clock-speed'], { min: 0.001 }),
		tokenLifetimeSeconds: number('token-lifetime', values['token-lifetime'], { min: 1 }),
		publishAfterSeconds: number('publish-after', values['publish-after'], { min: 0 }),
		fetchMedia: values['fetch-media'],
	};
}

function number(
	flag: string,
	value: string | undefined,
	{ min, max = Infinity, whole = false }: { min: number; max?: number; whole?: boolean },
): number | undefined {
	if (value === undefined) return undefined;
	const read = value.trim() === '' ? NaN : Number(value);
	if (Number.isFinite(read) && read >= min && read <= max && (!whole || Number.isInteger(read))) {
		return read;
	}
	const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
	throw new Error(`--${flag} must be a ${whole ? 'whole ' : ''}number ${range}, not '${value}'`);
}

function filled(flag: string, value: string | undefined): string | undefined {
	if (value === '') throw new Error(`--${flag} must not be empty`);
	return value;
}

function header(flag: string, value: string | undefined): string | undefined {
	if (value === undefined || HEADER_NAME.test(value)) return value;
	throw new Error(`--${flag} must be the name of a header, not '${value}'`);
}

function url(flag: string, value: string | undefined): string | undefined {
	if (value === undefined || /^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')) {
		return value;
	}
	throw new Error(`--${flag} must be an http or https URL, not '${value}'`);
}
