import type { IExecuteFunctions } from 'n8n-workflow';

/** What a user filled in, as n8n hands it over: expressions may have put anything anywhere. */
export interface PostParameters {
	socialAccountId: unknown;
	contentType: unknown;
	text: unknown;
	mediaUrls: unknown;
	publishTime: unknown;
	publishAt: unknown;
	additionalFields: Record<string, unknown>;
	exclusive: Record<string, unknown>;
}

/** Reads an item's post fields; nobody else reads these parameters. */
export function readParameters(this: IExecuteFunctions, itemIndex: number): PostParameters {
	const read = (name: string, fallback: unknown) =>
		this.getNodeParameter(name, itemIndex, fallback) as unknown;
	return {
		socialAccountId: read('socialAccountId', ''),
		contentType: read('contentType', 'POST'),
		text: read('text', ''),
		mediaUrls: read('mediaUrls', []),
		publishTime: read('publishTime', 'now'),
		publishAt: read('publishAt', ''),
		additionalFields: (read('additionalFields', {}) ?? {}) as Record<string, unknown>,
		exclusive: (read('exclusive', {}) ?? {}) as Record<string, unknown>,
	};
}
