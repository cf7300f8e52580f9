import type { Clock } from './clock';
import type { FetchedMedia, MediaFetcher } from './fetch-media';
import type { Settings } from './options';

/** The statuses of a post (platform interface, States and transitions). */
export type PostStatus =
	| 'queued'
	| 'submitting'
	| 'accepted'
	| 'processing'
	| 'retrying'
	| 'published'
	| 'failed'
	| 'deleted';

/** An accepted post, with dates of the emulator's clock in ISO 8601. */
export interface EmulatedPost {
	action_sn: string;
	/** A 64-bit integer as decimal text, which is sent as an integer literal. */
	social_post_id: string;
	status: PostStatus;
	platform: string;
	social_account_id: unknown;
	/** The body of the request as it was received. */
	request: unknown;
	createdAt: string;
	/** The time at which the post is published or fails. */
	publishAt: string;
	history: Array<{ status: PostStatus; at: string }>;
	message?: string;
	/** The files that were fetched; absent when the emulator fetches none, or has not yet. */
	media?: FetchedMedia[];
}

/** The first integer that a double cannot represent. IDs increase by two, so none can be represented. */
const FIRST_ID = 9007199254740993n;

const FAILURE = 'The photo platform rejected the media: the file could not be fetched or decoded.';

function failsLater(body: Record<string, unknown>): boolean {
	if (typeof body.text === 'string' && body.text.includes('#emulator-fail')) return true;
	const urls = Array.isArray(body.media_urls) ? (body.media_urls as string[]) : [];
	return urls.some((url) => new URL(url).pathname.includes('/fail'));
}

/** The accepted posts, whose statuses change with the emulator's clock. */
export class PostLedger {
	readonly posts: EmulatedPost[] = [];
	private readonly fetching = new Set<Promise<void>>();

	constructor(
		private readonly settings: Settings,
		private readonly clock: Clock,
		private readonly changed: (post: EmulatedPost) => void,
		private readonly media: MediaFetcher,
	) {}

	/** Accepts a valid body. The post is `queued` if post_date is in the future, and `processing` otherwise. */
	accept(body: Record<string, unknown>): EmulatedPost {
		const now = this.clock.now();
		const date = typeof body.post_date === 'string' ? Date.parse(body.post_date) : now;
		const startsAt = Math.max(now, date);
		const endsAt = startsAt + this.settings.publishAfterSeconds * 1000;
		const status = startsAt > now ? 'queued' : 'processing';
		const post: EmulatedPost = {
			...this.nextIds(now),
			status,
			platform: this.settings.platformName.toUpperCase(),
			social_account_id: body.social_account_id,
			request: body,
			createdAt: iso(now),
			publishAt: iso(endsAt),
			history: [{ status, at: iso(now) }],
		};
		this.posts.push(post);
		let fetched: Promise<void> | undefined;
		const fetch = () => {
			if (this.settings.fetchMedia) fetched = this.fetchMedia(post, body);
		};
		const end = () => {
			if (failsLater(body)) post.message ??= FAILURE;
			this.move(post, post.message ? 'failed' : 'published', endsAt);
		};
		if (startsAt > now) {
			this.clock.schedule(startsAt, () => {
				this.move(post, 'processing', startsAt);
				fetch();
			});
		} else fetch();
		this.clock.schedule(endsAt, () => {
			if (fetched) this.track(fetched.then(end));
			else end();
		});
		return post;
	}

	/** Resolves when no post waits for its media. */
	async fetched(): Promise<void> {
		await Promise.all(this.fetching);
	}

	reset(): void {
		this.posts.length = 0;
		this.media.files.clear();
	}

	private async fetchMedia(post: EmulatedPost, body: Record<string, unknown>): Promise<void> {
		post.media = await this.media.fetchAll(body);
		const failed = post.media.find(({ problem }) => problem !== undefined);
		if (failed) post.message = `The media ${failed.url} could not be fetched: ${failed.problem}.`;
	}

	private track(task: Promise<void>): void {
		this.fetching.add(task);
		void task.finally(() => this.fetching.delete(task));
	}

	private move(post: EmulatedPost, status: PostStatus, at: number): void {
		// The emulator may have been reset while media were fetched.
		if (!this.posts.includes(post)) return;
		post.status = status;
		post.history.push({ status, at: iso(at) });
		this.changed(post);
	}

	private nextIds(now: number): Pick<EmulatedPost, 'action_sn' | 'social_post_id'> {
		const count = this.posts.length;
		const stamp = iso(now).replace(/\D/g, '').slice(0, 14);
		return {
			action_sn: `SA${stamp}${String(count + 1).padStart(6, '0')}`,
			social_post_id: String(FIRST_ID + 2n * BigInt(count)),
		};
	}
}

function iso(ms: number): string {
	return new Date(ms).toISOString();
}
