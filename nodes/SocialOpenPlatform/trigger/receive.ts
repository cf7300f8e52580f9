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

/** All that a sender who has signed nothing is told: why, only n8n's log says. */
const refused = { ok: false, error: 'refused' };

/**
 * Takes one delivery in. Only an authentic one, wanted and not handed over before, starts a workflow;
 * each is answered, with 200 unless it is refused (401; 413 when too large, 400 when authentic but not
 * usable).
 */
export async function receive(this: IWebhookFunctions): Promise<IWebhookResponseData> {
	const answer = this.getResponseObject() as unknown as Answer;
	let opened: Opened;
	try {
		opened = await open(this);
	} catch (error) {
		return refuse(this, answer, error as Error);
	}
	const { parameters, settings, identities } = opened;
	const all = opened.events.map((event, index) => ({
		event,
		identity: identities[index]!,
		isWanted: isWanted(event, parameters),
	}));
	let fresh = all.filter((one) => one.isWanted);
	const hasWanted = fresh.length > 0;
	if (!isTest(this)) {
		const windowMs = parameters.duplicateWindow * HOUR_MS;
		const claimed = await claim(placeOf(this), all, windowMs, answer);
		if (claimed === 'busy') return reply(answer, 503, later);
		fresh = claimed;
	}
	if (!hasWanted) return { webhookResponse: { ok: true, result: 'ignored' } };
	if (fresh.length === 0) return { webhookResponse: { ok: true, result: 'duplicate' } };
	const events = fresh.map(({ event }) => event);
	return {
		webhookResponse: { ok: true, result: 'accepted', events: events.length },
		workflowData: [itemsOf(events, opened.request, parameters, settings)],
	};
}

/** @throws NodeOperationError while the editor listens, for that shows it */
function refuse(context: IWebhookFunctions, answer: Answer, error: Error): IWebhookResponseData {
	const node = context.getNode();
	const { message } = error;
	const rejection = error instanceof WebhookRejected ? error : undefined;
	const reason = rejection?.reason ?? 'not-ready';
	const said = { ok: false, error: reason, message };
	if (isTest(context)) {
		replyOnThrow(answer, statusOf(rejection), said);
		throw new NodeOperationError(node, message);
	}
	const place = `'${node.name}' of workflow ${context.getWorkflow().id}`;
	refusalLog.write(context.logger, place, reason, message);
	const body = rejection ? (rejection.isAuthentic ? said : refused) : later;
	return reply(answer, statusOf(rejection), body);
}

function statusOf(rejection: WebhookRejected | undefined): number {
	if (!rejection) return 503;
	if (rejection.reason === 'too-large') return 413;
	return rejection.isAuthentic ? 400 : 401;
}
