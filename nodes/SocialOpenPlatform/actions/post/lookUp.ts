import type { LookUp } from '../../transport/errors';

/** Enough of a text to know it again. */
const MAX_BEGINNING = 60;

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * What a user needs to find out whether the platform has a post.
 *
 * @param body the request as it went out
 * @param sentAt when, ISO 8601
 * @param next what can be done then, as a sentence
 */
export function lookUpOf(body: Record<string, unknown>, sentAt: string, next: string): LookUp {
	const account = String(body.social_account_id);
	const words = [body.text, body.title].find(isFilled);
	const beginning = words && [...words].slice(0, MAX_BEGINNING).join('');
	const which = beginning ? `a post that begins “${beginning}”` : 'it';
	return {
		advice: `It was sent at ${sentAt}. Look on the platform whether account ${account} has ${which}. ${next}`,
		clues: {
			sent_at: sentAt,
			social_account_id: account,
			...(beginning && { text_beginning: beginning }),
		},
	};
}
