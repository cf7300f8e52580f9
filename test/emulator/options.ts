import type { RecipeChoice } from './webhook/recipe';

/** What a caller may set when starting an emulator; every field has a default. */
export interface EmulatorOptions {
	/** TCP port on 127.0.0.1; 0 = any free port (default). */
	port?: number;
	/** Application id the emulator knows. Default `demo_app`. */
	appId?: string;
	/** Application secret the emulator knows. */
	appSecret?: string;
	/** The platform's name in route and payloads: `Photo` gives `socialPostCreatePhoto`, `PHOTO`. */
	platformName?: string;
	/** Seconds a token lives. Default 7200 (contract: token response). */
	tokenLifetimeSeconds?: number;
	/** Whether a new token revokes the earlier ones of the application. Default true. */
	revokeEarlierTokens?: boolean;
	/** Milliseconds added to each platform answer; never to control answers. */
	latencyMs?: number;
	/**
	 * How many createPost requests are let through within any one second of real time; the others are
	 * answered HTTP 429 with Retry-After 1, and nothing is done. Absent = no quota.
	 */
	requestsPerSecond?: number;
	/** The header in which chat requests carry the application secret. Default `authorization`. */
	chatAuthHeader?: string;
	/** What stands before the secret there, and a space. Default `Bearer`; '' = the secret alone. */
	chatAuthPrefix?: string;
	/** Emulator seconds per real second. Default 1. */
	clockSpeed?: number;
	/** Emulator seconds from `processing` to `published`. Default 3. */
	publishAfterSeconds?: number;
	/** Where status changes are delivered; absent = nowhere. */
	webhookUrl?: string;
	/** How deliveries are signed: a preset's name, or a recipe. Default `body`. */
	webhookRecipe?: RecipeChoice;
	/** Real milliseconds before each further attempt of a delivery. */
	webhookRetryDelaysMs?: number[];
	/** Real milliseconds an attempt may take. Default 5000. */
	webhookTimeoutMs?: number;
	/** Seed of faults with a rate or a choice: the same seed gives the same run. */
	seed?: number;
}

type MayBeAbsent = 'webhookUrl' | 'requestsPerSecond';

/** The options with every default filled in, but for those whose default is to be absent. */
export type Settings = Required<Omit<EmulatorOptions, MayBeAbsent>> &
	Pick<EmulatorOptions, MayBeAbsent>;

/** The options an emulator runs with when none is given. */
export const DEFAULTS: Settings = {
	port: 0,
	appId: 'demo_app',
	appSecret: 'demo_secret_2f7c1d90a4b84e63a5d7c0e91b3f6a28',
	platformName: 'Photo',
	tokenLifetimeSeconds: 7200,
	revokeEarlierTokens: true,
	latencyMs: 0,
	requestsPerSecond: undefined,
	chatAuthHeader: 'authorization',
	chatAuthPrefix: 'Bearer',
	clockSpeed: 1,
	publishAfterSeconds: 3,
	webhookUrl: undefined,
	webhookRecipe: 'body',
	webhookRetryDelaysMs: [1_000, 5_000, 30_000],
	webhookTimeoutMs: 5_000,
	seed: 1,
};

/** Fills in the defaults; an option given as `undefined` counts as not given. */
export function settle(options: EmulatorOptions = {}): Settings {
	const given = Object.entries(options).filter(([, value]) => value !== undefined);
	return { ...DEFAULTS, ...(Object.fromEntries(given) as EmulatorOptions) };
}
