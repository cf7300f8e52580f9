import { readFileSync } from 'node:fs';
import { startPlatform, type Platform } from '../harness/platform';

/** Functions that cause and return a message, by the message as the README quotes it. */
export type QuotedMessages = Record<string, () => Promise<string | undefined>>;

/** Causes a message with a platform of its own. */
export const onPlatform =
	(provoke: (platform: Platform) => Promise<string | undefined>) =>
	async (): Promise<string | undefined> => {
		const platform = await startPlatform();
		try {
			return await provoke(platform);
		} finally {
			await platform.emulator.stop();
		}
	};

const readme = readFileSync(`${__dirname}/../../../README.md`, 'utf8');

/** Returns the messages under Troubleshooting in the README, each of which begins a list item. */
export function listedMessages(): string[] {
	const [, section = ''] = /^## Troubleshooting$(.*?)^## /ms.exec(readme) ?? [];
	return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, message]) => message!);
}

/** Whether a message begins with the quoted text, in which an ellipsis (…) matches any text. */
export function isQuotedBy(quoted: string, message: string): boolean {
	const parts = quoted.split(/ ?… ?/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${parts.join('.+?')}`, 's').test(message);
}
