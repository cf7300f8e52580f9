import { refused, type Answer } from './answer';
import { chatRefused } from './chat/chat-refused';
import type { FaultEffect } from './faults';
import type { Settings } from './options';
import type { ReceivedRequest } from './request-record';
import { isChat } from './routes';

const TOO_MANY = '请求过于频繁，请稍后再试';

/** Returns the response of a fault that applies on arrival, or `reset` if it destroys the connection. */
export function faultAnswer(
	fault: FaultEffect,
	request: ReceivedRequest,
	settings: Settings,
): Answer | 'reset' {
	const refuse = (status: number, code: FaultEffect['code'], message: string, more = {}) => {
		const ofHttp = isChat(request.operation) && status >= 400 && !fault.envelope;
		if (ofHttp) return chatRefused(status, fault);
		return refused({ status, code, message: fault.message ?? message, ...more });
	};

	switch (fault.kind) {
		case 'reset-before':
			return 'reset';
		case 'unauthorized-401':
			return refuse(401, fault.code ?? 1001, '令牌已过期或不存在');
		case 'token-rejected-200':
			return refuse(200, fault.code ?? 10104, 'access_token 无效或已过期');
		case 'rate-limited-429':
			return withRetryAfter(refuse(429, fault.code ?? 429, TOO_MANY), fault);
		case 'too-frequent-200':
			return withRetryAfter(refuse(200, fault.code, '操作过于频繁，请稍后再试'), fault);
		case 'server-error-before':
			return refuse(500, fault.code ?? 500, '服务器内部错误');
		case 'html':
			return page(fault.message ?? 'The gateway could not reach the service.');
		case 'refused-without-code':
			return refuse(200, undefined, '该社交账号未授权，请重新绑定');
		case 'refused':
			return refuse(fault.status ?? 200, fault.code, '请求被拒绝');
		case 'redirect':
			return redirect(fault);
		case 'success-false-code-200':
			return refuse(200, 200, '业务处理失败');
		case 'success-true-code-500':
			return refuse(200, fault.code ?? 500, '业务处理异常', { success: true, data: {} });
		case 'echo-secrets':
			return faultAnswer(withSecrets(fault, echo(request, settings)), request, settings);
		default:
			throw new Error(`'${fault.kind}' does not apply when a request arrives`);
	}
}

/** Returns the response to a request above the quota, which has no effect. */
export function overQuota(): Answer {
	return withRetryAfter(refused({ status: 429, code: 429, message: TOO_MANY }), { retryAfter: 1 });
}

const withSecrets = (fault: FaultEffect, secrets: string): FaultEffect => ({
	...fault,
	kind: 'refused',
	code: fault.code ?? 1002,
	message: `请求被拒绝: ${secrets}`,
});

function withRetryAfter(answer: Answer, { retryAfter }: Pick<FaultEffect, 'retryAfter'>): Answer {
	if (retryAfter !== undefined) answer.headers['retry-after'] = String(retryAfter);
	return answer;
}

function page(text: string): Answer {
	const body = `<!doctype html><html><head><title>Bad gateway</title></head><body><h1>${text}</h1></body></html>`;
	const headers = { 'content-type': 'text/html; charset=utf-8' };
	return { status: 200, headers, body, tookEffect: false };
}

function redirect({
	location = 'https://example.invalid/elsewhere',
	status = 302,
}: FaultEffect): Answer {
	return { status, headers: { location }, body: '', tookEffect: false };
}

function echo({ headers, rawBody }: ReceivedRequest, { chatAuthHeader }: Settings): string {
	const secretive = new Set(['x-legacy-token', 'authorization', chatAuthHeader.toLowerCase()]);
	const secrets = Array.from(secretive).flatMap((name) =>
		headers[name] === undefined ? [] : [`${name}=${headers[name]}`],
	);
	const signature = /"signature"\s*:\s*"([^"]*)"/.exec(rawBody)?.[1];
	return [...secrets, ...(signature ? [`signature=${signature}`] : [])].join('; ');
}
