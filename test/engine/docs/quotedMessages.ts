import type { Platform } from '../harness/platform';
import { pages } from './pages';

/** Functions that cause and return a message, by the message as the documents quote it. */
export type QuotedMessages<T = Platform> = Record<
	string,
	(platform: T) => Promise<string | undefined>
>;

/** The beginning of a list item that quotes a message, or the words with which the messages below it begin. */
const ITEM = /^( *)- `([^`]+)`(:|, followed by$)/gm;

/** A response of the trigger, which any page may quote. */
const RESPONSE = /`(\{"ok":[^`]+)`/g;

/** Returns the messages that the list items of a page quote. */
function messagesIn(page: string): string[] {
	let beginning = '';
	return [...page.matchAll(ITEM)].flatMap(([, indent, text, end]) => {
		if (end === ':') return indent ? `${beginning} ${text}` : text!;
		beginning = text!;
		return [];
	});
}

/** Returns the messages that the documents quote, in the order in which they quote them first. */
export function listedMessages(): string[] {
	const inList = ['docs/troubleshooting.md', 'docs/trigger.md'].flatMap((path) =>
		messagesIn(pages.get(path)!),
	);
	const responses = [...pages.values()].flatMap((page) =>
		[...page.matchAll(RESPONSE)].map(([, message]) => message!),
	);
	return [...new Set([...inList, ...responses])];
}

/** Whether a message begins with the quoted text, in which an ellipsis (…) matches any text. */
export function isQuotedBy(quoted: string, message: string): boolean {
	const parts = quoted.split(/ ?… ?/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${parts.join('.+?')}`, 's').test(message);
}
