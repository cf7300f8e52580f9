import type { Emulator, ReceivedRequest } from '../emulator';
import { isResent, outcomeOf, type KnownOutcome } from './faultsMix';

/** The expected outcome of a post for the client, and its state on the platform. */
export interface PostOutcome {
	outcome: KnownOutcome | 'not_sent';
	/** The platform's number of the post, if the client has received it. */
	action_sn?: string;
}

const textOf = ({ body }: { body: unknown }): string => (body as { text: string }).text;

/** The outcome of a request as far as the client can know it. */
function outcomeFor({ status, fault, tookEffect }: ReceivedRequest): KnownOutcome {
	// Without a status, the platform has sent no response or only a part of one.
	if (status === null) return 'unknown';
	const byFault = fault === undefined ? undefined : outcomeOf(fault);
	return byFault ?? (tookEffect ? 'accepted' : 'refused');
}

/** The requests for posts that the platform has received, by their texts. */
export class PlatformRecord {
	/** The outcomes of the requests for each text, in order. */
	private readonly outcomes = new Map<string, KnownOutcome[]>();

	private readonly numbers = new Map<string, string[]>();

	private readonly requests: ReceivedRequest[];

	/** The number of token requests. */
	readonly exchanges: number;

	constructor({ received, posts }: Emulator) {
		this.exchanges = received.filter(({ operation }) => operation === 'getAccessToken').length;
		this.requests = received.filter(({ operation }) => operation === 'createPost');
		for (const request of this.requests) add(this.outcomes, textOf(request), outcomeFor(request));
		for (const { action_sn, request } of posts) {
			add(this.numbers, textOf({ body: request }), action_sn);
		}
	}

	get sends(): number {
		return this.requests.length;
	}

	get faulty(): number {
		return this.requests.filter(({ fault }) => fault !== undefined).length;
	}

	/** How often the platform rejected a valid token. */
	get tokensRejected(): number {
		const kinds = ['unauthorized-401', 'token-rejected-200'];
		return this.requests.filter(({ fault = '' }) => kinds.includes(fault)).length;
	}

	get created(): number {
		return [...this.numbers.values()].flat().length;
	}

	/** Texts that were posted more than once. */
	get postedTwice(): string[] {
		return [...this.numbers].filter(([, all]) => all.length > 1).map(([text]) => text);
	}

	/** Texts that were sent again although they were or may have been accepted. */
	get resentWrongly(): string[] {
		const isOver = (all: KnownOutcome[]) => all.slice(0, -1).some((one) => one !== 'refused');
		return [...this.outcomes].filter(([, all]) => isOver(all)).map(([text]) => text);
	}

	expectedOutcome(text: string): PostOutcome {
		const outcome = this.outcomes.get(text)?.at(-1) ?? 'not_sent';
		return outcome === 'accepted'
			? { outcome, action_sn: this.numbers.get(text)?.[0] }
			: { outcome };
	}

	/**
	 * The number of attempts by n8n for a node that continues on errors: until its first item, with this
	 * text, is no longer an error.
	 */
	expectedAttempts(text: string, max: number): number {
		const { outcome } = this.expectedOutcome(text);
		if (outcome === 'unknown') return max;
		const refusals = this.requests.filter(
			(request) => textOf(request) === text && outcomeFor(request) === 'refused',
		);
		const final = refusals.filter(({ fault }) => fault !== undefined && !isResent(fault));
		return Math.min(max, final.length + 1);
	}

	sendsOf(text: string): number {
		return this.outcomes.get(text)?.length ?? 0;
	}
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
	const all = map.get(key);
	if (all) all.push(value);
	else map.set(key, [value]);
}
