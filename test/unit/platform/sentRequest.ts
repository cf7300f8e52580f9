import type {
	CompleteResponse,
	ResponseReader,
	SentRequest,
} from '../../../nodes/SocialOpenPlatform/platform/response';

/** A request for a post, with the default codes of the credential. */
export const sentPost: SentRequest = {
	operation: 'createPost',
	what: 'the post',
	settings: { renewalCodes: new Set([1001, 10103, 10104]), rateLimitCodes: new Set([429]) },
	secrets: [],
};

/** Reads a response. A failure is returned with its facts beside its reason. */
export function readResponse<T>(
	read: ResponseReader<T>,
	response: CompleteResponse,
	request: Partial<SentRequest> = {},
) {
	const result = read(response, { ...sentPost, ...request });
	if (result.kind === 'accepted') return result;
	const { facts, reason = '', ...rest } = result.failure;
	return { kind: result.kind, ...facts, ...rest, reason };
}
