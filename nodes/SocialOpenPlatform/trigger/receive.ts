import {
	NodeOperationError,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { WebhookRejected } from '../protocol/webhook';
import { reply, replyOnThrow, type Answer } from './answer';
import { claim } from './claim';
import { isWanted } from './isWanted';
import { itemsOf } from './items';
import { isTest, open, placeOf, type Opened } from './open';
import { RefusalLog } from './refusalLog';

const HOUR_MS = 3_600_000;

const refusalLog = new RefusalLog();

/** What is not ours to judge now; the sender does well to send it again. */
const later = { ok: false, error: 'try-again-later' };

/**
 * Takes one delivery in. Only an authentic one, wanted and not handed over before, starts a workflow;
 * each is answered, with 200 unless it is refused (401, or 400 when authentic but no JSON).
 */
export async function receive(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const answer = this.getResponseObject() as unknown as Answer;
	let opened: Opened;
	try {
		opened = await open(this);
	} catch (error) {
		return refuse(this, answer, error as Error);
	}
	const { parameters, settings } = opened;
	const events = opened.events.filter((event) => isWanted(event, parameters));
	if (events.length === 0) return { webhookResponse: { ok: true, result: 'ignored' } };
	if (!isTest(this)) {
		const key = `${placeOf(this)} ${opened.key}`;
		const claimed = await claim(key, parameters.duplicateWindow * HOUR_MS, answer);
		if (claimed === 'busy') return reply(answer, 503, later);
		if (claimed === 'duplicate') return { webhookResponse: { ok: true, result: 'duplicate' } };
	}
	return {
		webhookResponse: { ok: true, result: 'accepted', events: events.length },
		workflowData: [itemsOf(events, opened.request, parameters, settings.secrets)],
	};
}

/** @throws NodeOperationError while the editor listens, for that shows it */
function refuse(context: IWebhookFunctions, answer: Answer, error: Error): IWebhookResponseData {
	const node = context.getNode();
	const isRefusal = error instanceof WebhookRejected;
	const { message } = error;
	const reason = isRefusal ? error.reason : 'not-ready';
	const status = isRefusal ? (error.isAuthentic ? 400 : 401) : 503;
	if (isTest(context)) {
		replyOnThrow(answer, status, { ok: false, error: reason, message });
		throw new NodeOperationError(node, message);
	}
	const place = `'${node.name}' of workflow ${context.getWorkflow().id}`;
	refusalLog.write(context.logger, place, reason, message);
	return reply(answer, status, isRefusal ? { ok: false, error: reason, message } : later);
}
