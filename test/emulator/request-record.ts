import type { Operation } from './routes';

/** One platform request as it arrived, and what became of it. */
export interface ReceivedRequest {
	id: number;
	/** Real time of arrival, ISO 8601. */
	at: string;
	operation: Operation;
	method: string;
	/** With the query, if any. */
	path: string;
	/** Names in lower case; repeated headers joined as node joins them. */
	headers: Record<string, string>;
	rawBody: string;
	/** The body as JSON; undefined if it is none. */
	body: unknown;
	/** HTTP status of the answer; null while there is none, and for good when it did not get out whole. */
	status: number | null;
	/** The fault that struck. */
	fault?: string;
	/** Whether the request did what it asked for, whatever the answer said. */
	tookEffect: boolean;
	/** Number of the socket it came over, from 1. */
	connectionId: number;
}

/** JSON or undefined. */
export function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
