import type { Emulator, ReceivedRequest } from '../emulator';
import { isComeAgain, tellsOf, type Told } from './faultsMix';

/** What the platform knows about the posts that were asked of it, told apart by their texts. */

/** What a post must have come to in the eyes of a client, and how the platform has it. */
export interface Fate {
	outcome: Told | 'not_sent';
	/** The platform's number of it, where the client was told it. */
	action_sn?: string;
}

const textOf = ({ body }: { body: unknown }): string => (body as { text: string }).text;

/** What the client was told by one request. */
function told({ status, fault, tookEffect }: ReceivedRequest): Told {
	// Nothing, or not all of it, has got out.
	if (status === null) return 'unknown';
	const byFault = fault === undefined ? undefined : tellsOf(fault);
	return byFault ?? (tookEffect ? 'accepted' : 'refused');
}

export class PlatformRecord {
	/** What was told of each post, request by request. */
	private readonly tellings = new Map<string, Told[]>();

	private readonly numbers = new Map<string, string[]>();

	private readonly requests: ReceivedRequest[];

	/** How often a client has asked for an access token. */
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

	/** How often the platform would not take a token that was good. */
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
	 * How often n8n must have tried a node that goes on after errors: until its first item, with this
	 * text, is not an error any more.
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
