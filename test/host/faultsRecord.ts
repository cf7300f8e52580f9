import type { Emulator, ReceivedRequest } from '../emulator';
import { isComeAgain, tellsOf, type Told } from './faultsMix';

/** The platform's record of the requested posts, by their texts. */

/** The expected outcome of a post for the client, and its state on the platform. */
export interface Fate {
	outcome: Told | 'not_sent';
	/** The platform's number of the post, if the client has received it. */
	action_sn?: string;
}

const textOf = ({ body }: { body: unknown }): string => (body as { text: string }).text;

/** What the client received for one request. */
function told({ status, fault, tookEffect }: ReceivedRequest): Told {
	// The response was not sent, or not completely.
	if (status === null) return 'unknown';
	const byFault = fault === undefined ? undefined : tellsOf(fault);
	return byFault ?? (tookEffect ? 'accepted' : 'refused');
}

export class PlatformRecord {
	/** The responses for each post, request by request. */
	private readonly tellings = new Map<string, Told[]>();

	private readonly numbers = new Map<string, string[]>();

	private readonly requests: ReceivedRequest[];

	/** The number of token requests. */
	readonly exchanges: number;

	constructor({ received, posts }: Emulator) {
		this.exchanges = received.filter(({ operation }) => operation === 'getAccessToken').length;
		this.requests = received.filter(({ operation }) => operation === 'createPost');
		for (const request of this.requests) add(this.tellings, textOf(request), told(request));
		for (const { action_sn, request } of posts) {
			add(this.numbers, textOf({ body: request }), action_sn);
		}
	}

	get sends(): number {
		return this.requests.length;
	}

	get struck(): number {
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

	/** Texts that the platform has more than once. */
	get twice(): string[] {
		return [...this.numbers].filter(([, all]) => all.length > 1).map(([text]) => text);
	}

	/** Texts that were sent again although they had, or may have, been accepted. */
	get sentTooOften(): string[] {
		const isOver = (all: Told[]) => all.slice(0, -1).some((one) => one !== 'refused');
		return [...this.tellings].filter(([, all]) => isOver(all)).map(([text]) => text);
	}

	fateOf(text: string): Fate {
		const outcome = this.tellings.get(text)?.at(-1) ?? 'not_sent';
		return outcome === 'accepted'
			? { outcome, action_sn: this.numbers.get(text)?.[0] }
			: { outcome };
	}

	/**
	 * The number of attempts by n8n for a node that continues on errors: until its first item, with this
	 * text, is no longer an error.
	 */
	triesBecauseOf(text: string, most: number): number {
		const { outcome } = this.fateOf(text);
		if (outcome === 'unknown') return most;
		const refusals = this.requests.filter(
			(request) => textOf(request) === text && told(request) === 'refused',
		);
		const final = refusals.filter(({ fault }) => fault !== undefined && !isComeAgain(fault));
		return Math.min(most, final.length + 1);
	}

	sendsOf(text: string): number {
		return this.tellings.get(text)?.length ?? 0;
	}
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
	const all = map.get(key);
	if (all) all.push(value);
	else map.set(key, [value]);
}
