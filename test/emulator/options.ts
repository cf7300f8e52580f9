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
	/** The delay of platform responses in milliseconds. */
	latencyMs?: number;
	/**
	 * The number of createPost requests that are allowed per second of real time. Others get HTTP 429 with
	 * Retry-After 1 and have no effect. The default is Infinity.
	 */
	requestsPerSecond?: number;
	/** The header of chat requests that contains the application secret. The default is `authorization`. */
	chatAuthHeader?: string;
	/** The text before the secret and a space, or '' for only the secret. The default is `Bearer`. */
	chatAuthPrefix?: string;
	/** Seconds from `processing` to `published`. The default is 3. */
	publishAfterSeconds?: number;
	/** Whether the media of a post are fetched before it is published. The default is false. */
	fetchMedia?: boolean;
	/** Real milliseconds before each retry of a delivery. */
	webhookRetryDelaysMs?: number[];
	/** The seed of random faults. The same seed selects the same requests. */
	seed?: number;
}

/** The options with all defaults. */
export type Settings = Required<EmulatorOptions>;

export const DEFAULTS: Settings = {
	port: 0,
	appId: 'demo_app',
	appSecret: 'demo_secret_2f7c1d90a4b84e63a5d7c0e91b3f6a28',
	platformName: 'Photo',
	latencyMs: 0,
	requestsPerSecond: Infinity,
	chatAuthHeader: 'authorization',
	chatAuthPrefix: 'Bearer',
	publishAfterSeconds: 3,
	fetchMedia: false,
	webhookRetryDelaysMs: [1_000, 5_000, 30_000],
	seed: 1,
};
