import type { Operation } from './routes';

/** A platform request and its result. */
export interface ReceivedRequest {
	id: number;
	/** The real time of arrival in ISO 8601. */
	at: string;
	operation: Operation;
	method: string;
	/** The path with the query, if there is one. */
	path: string;
	/** The headers with lower-case names. Repeated headers are joined as in Node. */
	headers: Record<string, string>;
	rawBody: string;
	/** The parsed JSON body, or undefined if it is not JSON. */
	body: unknown;
	/** The HTTP status of the response, or null if the response was not sent completely. */
	status: number | null;
	/** The fault that was applied. */
	fault?: string;
	/** Whether the request took effect, regardless of the response. */
	tookEffect: boolean;
}

/** Parses JSON, or returns undefined if the text is not JSON. */
export function parsed(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}
