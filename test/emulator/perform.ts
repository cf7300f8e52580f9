import { getAccessToken } from './access-token';
import { accepted, refused, type Answer } from './answer';
import { answerChat } from './chat/answer-chat';
import { chatRefused } from './chat/chat-refused';
import { createPost } from './create-post';
import type { ReceivedRequest } from './request-record';
import { isChat, operationOf, ROUTES, type PlatformRoute } from './routes';
import type { Emulator } from './emulator';
import { bearer, tokenProblem } from './token-check';

/** Performs or refuses a request as the platform does without faults. */
export function perform(
	route: PlatformRoute | undefined,
	request: ReceivedRequest,
	state: Emulator,
): Answer {
	const { method, headers } = request;
	const operation = operationOf(route);
	if (!route) return refused({ status: 404, code: 2100, message: '接口不存在' });
	if (ROUTES[route].method !== method) {
		if (isChat(operation)) return chatRefused(405);
		return refused({ code: 2000, message: `请求方式错误: ${method}` });
	}
	if (route === 'ping') return ping(headers, state);
	if (route === 'createPost') {
		const problem = tokenProblem(headers['x-legacy-token'], state.issued);
		if (problem) return problem;
	}
	const body = jsonBody(request);
	if (isChat(operation)) return answerChat(operation, request, body, state);
	if (!body) return refused({ code: 1002, message: '请求体必须为 application/json 对象' });
	if (operation === 'getAccessToken') return getAccessToken(body, state.settings, state.issued);
	return createPost(body, state.ledger);
}

/** Handles a request that is authorized by a bearer token (platform interface, Business requests). */
function ping(headers: Record<string, string>, { issued, settings }: Emulator): Answer {
	const problem = tokenProblem(bearer(headers), issued);
	return problem ?? accepted({ app_id: settings.appId, pong: true });
}

function jsonBody({ headers, body }: ReceivedRequest): Record<string, unknown> | undefined {
	if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) return undefined;
	if (body === null || typeof body !== 'object' || Array.isArray(body)) return undefined;
	return body as Record<string, unknown>;
}
