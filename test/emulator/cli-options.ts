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

type Read<T> = (flag: string, value: string) => T;

const text: Read<string> = (_, value) => value;

const filled: Read<string> = (flag, value) => {
	if (value === '') throw new Error(`--${flag} must not be empty`);
	return value;
};

const number =
	(min: number, max = Infinity, whole = false): Read<number> =>
	(flag, value) => {
		const read = value.trim() === '' ? NaN : Number(value);
		const fits = Number.isFinite(read) && read >= min && read <= max;
		if (fits && (!whole || Number.isInteger(read))) return read;
		const range = max === Infinity ? `of at least ${min}` : `from ${min} to ${max}`;
		throw new Error(`--${flag} must be a ${whole ? 'whole ' : ''}number ${range}, not '${value}'`);
	};

const header: Read<string> = (flag, value) => {
	if (HEADER_NAME.test(value)) return value;
	throw new Error(`--${flag} must be the name of a header, not '${value}'`);
};

const url: Read<string> = (flag, value) => {
	if (/^https?:/.test(value) && URL.canParse(value)) return value;
	throw new Error(`--${flag} must be an http or https URL, not '${value}'`);
};

const recipe: Read<string> = (_, value) => {
	recipeOf(value as RecipeName);
	return value;
};

/** The flags with a value, each with its option. */
const FLAGS: Record<string, [option: keyof EmulatorOptions, read: Read<string | number>]> = {
	port: ['port', number(0, 65_535, true)],
	'app-id': ['appId', filled],
	'app-secret': ['appSecret', filled],
	'webhook-url': ['webhookUrl', url],
	'webhook-recipe': ['webhookRecipe', recipe],
	latency: ['latencyMs', number(0)],
	'requests-per-second': ['requestsPerSecond', number(1)],
	'chat-auth-header': ['chatAuthHeader', header],
	'chat-auth-prefix': ['chatAuthPrefix', text],
	'clock-speed': ['clockSpeed', number(0.001)],
	'token-lifetime': ['tokenLifetimeSeconds', number(1)],
	'publish-after': ['publishAfterSeconds', number(0)],
};

/** Reads the command line, or returns `help`. Throws an Error that names an invalid flag. */
export function cliOptions(args: string[]): EmulatorOptions | 'help' {
	const names = Object.keys(FLAGS).map((name) => [name, { type: 'string' as const }]);
	const isSet = { type: 'boolean' as const };
	const options = { ...Object.fromEntries(names), help: isSet, 'fetch-media': isSet };
	const { values } = parseArgs({ args, options });
	const { help, 'fetch-media': fetchMedia, ...flags } = values as Record<string, unknown>;
	if (help) return 'help';
	const read = Object.entries(flags).map(([flag, value]) => {
		const [option, readValue] = FLAGS[flag]!;
		return [option, readValue(flag, value as string)];
	});
	return { ...Object.fromEntries(read), ...(fetchMedia ? { fetchMedia: true } : {}) };
}
