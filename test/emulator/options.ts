import type { RecipeChoice } from './webhook/recipe';

/** The options of an emulator, all of which have a default. */
export interface EmulatorOptions {
	/** The TCP port on 127.0.0.1. The default is 0, which selects a free port. */
	port?: number;
	/** The valid application ID. The default is `demo_app`. */
	appId?: string;
	/** The valid application secret. */
	appSecret?: string;
	/** The platform's name. `Photo` becomes `socialPostCreatePhoto` in routes and `PHOTO` in payloads. */
	platformName?: string;
	/** The lifetime of a token in seconds. The default is 7200 (contract: token response). */
	tokenLifetimeSeconds?: number;
	/** The delay of platform responses in milliseconds. Control responses are not delayed. */
	latencyMs?: number;
	/**
	 * The number of createPost requests that are allowed per second of real time. Others get HTTP 429 with
	 * Retry-After 1 and have no effect. By default there is no quota.
	 */
	requestsPerSecond?: number;
	/** The header of chat requests that contains the application secret. The default is `authorization`. */
	chatAuthHeader?: string;
	/** The text before the secret and a space, or '' for only the secret. The default is `Bearer`. */
	chatAuthPrefix?: string;
	/** Emulator seconds per real second. The default is 1. */
	clockSpeed?: number;
	/** Emulator seconds from `processing` to `published`. The default is 3. */
	publishAfterSeconds?: number;
	/** Whether the media of a post are fetched before it is published. The default is false. */
	fetchMedia?: boolean;
	/** The URL to which status changes are delivered, if any. */
	webhookUrl?: string;
	/** The signature recipe of deliveries or its name. The default is `body`. */
	webhookRecipe?: RecipeChoice;
	/** Real milliseconds before each retry of a delivery. */
	webhookRetryDelaysMs?: number[];
	/** The timeout of an attempt in real milliseconds. The default is 5000. */
	webhookTimeoutMs?: number;
	/** The seed of random faults. The same seed selects the same requests. */
	seed?: number;
}

type MayBeAbsent = 'webhookUrl' | 'requestsPerSecond';

/** The options with all defaults, except for options that are absent by default. */
export type Settings = Required<Omit<EmulatorOptions, MayBeAbsent>> &
	Pick<EmulatorOptions, MayBeAbsent>;

export const DEFAULTS: Settings = {
	port: 0,
	appId: 'demo_app',
	appSecret: 'demo_secret_2f7c1d90a4b84e63a5d7c0e91b3f6a28',
	platformName: 'Photo',
	tokenLifetimeSeconds: 7200,
	latencyMs: 0,
	requestsPerSecond: undefined,
	chatAuthHeader: 'authorization',
	chatAuthPrefix: 'Bearer',
	clockSpeed: 1,
	publishAfterSeconds: 3,
	fetchMedia: false,
	webhookUrl: undefined,
	webhookRecipe: 'body',
	webhookRetryDelaysMs: [1_000, 5_000, 30_000],
	webhookTimeoutMs: 5_000,
	seed: 1,
};

/** Adds the defaults to the options that are missing or undefined. */
export function settle(options: EmulatorOptions = {}): Settings {
	const given = Object.entries(options).filter(([, value]) => value !== undefined);
	return { ...DEFAULTS, ...(Object.fromEntries(given) as EmulatorOptions) };
}
