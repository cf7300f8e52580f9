import type { ConnectionError } from '../protocol/connection';

/** What n8n's HTTP client or the credential threw, as far as n8n has kept it. */
export interface Thrown extends ConnectionError {
	/** The code of an error of this package. */
	errorCode?: string;
}

/** Fields of a NodeApiError. */
interface Wrapped {
	httpCode?: string | null;
	messages?: string[];
}

/**
 * What is in the error that n8n made of it. n8n 2 keeps it as the cause. n8n 1 keeps its words and its
 * code alone, as the first of its messages and as its HTTP code.
 */
export function thrownIn(error: unknown): Thrown {
	if (!(error instanceof Error)) return { message: String(error) };
	if (error.cause instanceof Error) return error.cause;
	const { httpCode, messages } = error as Wrapped;
	if (!messages) return error;
	const code = httpCode ?? undefined;
	return { code, errorCode: code, message: messages[0] ?? error.message };
}
