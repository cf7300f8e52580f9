import type { IWebhookFunctions } from 'n8n-workflow';

/** What n8n adds to Express's request. */
interface RequestWithBody {
	headers: Record<string, string | string[] | undefined>;
	contentType?: string;
	rawBody?: Buffer;
	readRawBody?(): Promise<void>;
}

/** A request as it came over the wire. */
export interface RawRequest {
	headers: Record<string, string | string[] | undefined>;
	/** Undefined where there are no bytes to verify: n8n has taken a form with files apart. */
	rawBody: Buffer | undefined;
}

/** The bytes of the body; n8n leaves them unread where the content type is none that it parses. */
export async function readRequest(context: IWebhookFunctions): Promise<RawRequest> {
	const request = context.getRequestObject() as unknown as RequestWithBody;
	const { headers, contentType = '' } = request;
	// A form with files is taken apart by n8n; its bytes are gone.
	if (contentType.startsWith('multipart/')) return { headers, rawBody: undefined };
	try {
		if (!request.rawBody) await request.readRawBody?.();
	} catch {
		// Too large or cut off: then there is nothing to verify.
	}
	return { headers, rawBody: request.rawBody };
}
