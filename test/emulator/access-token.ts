import { accepted, refused, type Answer } from './answer';
import type { Settings } from './options';
import type { TokenLedger } from './token-ledger';
import { expectedSignature } from './token-signature';

/** The largest allowed difference between a request's timestamp and real time, in milliseconds. */
const TOLERANCE_MS = 5 * 60 * 1000;

function missing(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

/**
 * `POST /api/v1/getAccessToken` (platform interface, Get access token; codes: contract).
 * The timestamp is compared with real time, because clients use it.
 */
export function getAccessToken(
	body: Record<string, unknown>,
	settings: Settings,
	tokens: TokenLedger,
): Answer {
	const { app_id: appId, sign_ver: signVer, timestamp, signature } = body;
	if (missing(appId)) return refused({ code: 10101, message: 'app_id 缺失' });
	if (missing(signature)) return refused({ code: 10105, message: 'signature 缺失' });
	if (appId !== settings.appId) return refused({ code: 10000, message: '应用不存在或已停用' });
	if (signVer !== '1.0') return refused({ code: 10106, message: 'sign_ver 必须为 1.0' });
	if (!Number.isInteger(timestamp)) {
		return refused({ code: 10106, message: 'timestamp 必须为毫秒整数' });
	}
	if (Math.abs(Number(timestamp) - Date.now()) > TOLERANCE_MS) {
		return refused({ code: 10106, message: 'timestamp 与服务器时间相差过大' });
	}
	if (signature !== expectedSignature(body, settings.appSecret)) {
		return refused({ code: 10108, message: '签名错误' });
	}
	return accepted(tokens.issue());
}
