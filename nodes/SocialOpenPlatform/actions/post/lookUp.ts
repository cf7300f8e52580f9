import type { IExecuteFunctions } from 'n8n-workflow';
import { apiError, unknown, type LookUp } from '../../transport/errors';
import { fromEarlierTry, type NodeError } from '../itemError';
import type { Post } from './postOnce';

/** Enough of a text to recognize the post. */
const MAX_BEGINNING = 60;

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** What a user looks for on the platform to find out whether it has a post. */
export interface Clues {
	/** ISO 8601; absent when this execution did not send it. */
	sent_at?: string;
	/** Absent when it could not be read. */
	social_account_id?: string;
	text_beginning?: string;
}

/** @param body the request as it goes out */
export function cluesOf(body: Record<string, unknown>, sentAt?: string): Clues {
	const words = [body.text, body.title].find(isFilled);
	return {
		...(sentAt && { sent_at: sentAt }),
		...(isFilled(body.social_account_id) && { social_account_id: body.social_account_id }),
		...(words && { text_beginning: [...words].slice(0, MAX_BEGINNING).join('') }),
	};
}

/** @param next what can be done afterwards, as a sentence */
export function lookUpOf(clues: Clues, next: string): LookUp {
	const { sent_at, social_account_id, text_beginning } = clues;
	const when = sent_at ? `It was sent at ${sent_at}. ` : '';
	const account = social_account_id ? `account ${social_account_id}` : 'the account';
	const which = text_beginning ? `a post that begins “${text_beginning}”` : 'it';
	return {
		advice: `${when}Look on the platform whether ${account} has ${which}. ${next}`,
		clues: { ...clues },
	};
}

const RESEND =
	"It was not sent again. If the platform does not have it, switch on the option 'Resend If Outcome Unknown' and retry. If it has, set 'On Error' of this node to Continue and retry: the workflow then goes on with the others.";

/** The error of a post whose outcome was unknown before this attempt, which did not send it. */
export function stillUnknown(
	this: IExecuteFunctions,
	{ identity, invalid }: Post,
	{ reason, clues }: { reason: string; clues: Clues },
): NodeError {
	const next = invalid ? `It was not sent again. Also, ${invalid.message}.` : RESEND;
	const failure = unknown('the post', reason, lookUpOf(clues, next));
	return fromEarlierTry(apiError(this.getNode(), identity.itemIndex, failure));
}
