import type { ParameterReader } from '../../parameters/parameterReader';

/** What a user filled in, as n8n hands it over: expressions may have put anything anywhere. */
export interface PostParameters {
	socialAccountId: unknown;
	contentType: unknown;
	text: unknown;
	mediaUrls: unknown;
	publishTime: unknown;
	publishAt: unknown;
	additionalFields: unknown;
	exclusive: unknown;
}

/** The parameters that make a post, and no others. */
export const postFields: ReadonlyArray<keyof PostParameters> = [
	...(['socialAccountId', 'contentType', 'text', 'mediaUrls'] as const),
	...(['publishTime', 'publishAt', 'additionalFields', 'exclusive'] as const),
];

/** Reads an item's post fields; nobody else reads these parameters. */
export function readParameters(reader: ParameterReader, itemIndex: number): PostParameters {
	const read = (name: string, fallback: unknown) => reader(name, itemIndex, fallback);
	return {
		socialAccountId: read('socialAccountId', ''),
		contentType: read('contentType', 'POST'),
		text: read('text', ''),
		mediaUrls: read('mediaUrls', []),
		publishTime: read('publishTime', 'now'),
		publishAt: read('publishAt', ''),
		additionalFields: read('additionalFields', {}),
		exclusive: read('exclusive', {}),
	};
}
