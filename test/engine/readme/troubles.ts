import { readFileSync } from 'node:fs';
import { startPlatform, type Platform } from '../harness/platform';

/** By the message as the README quotes it: what makes it appear, and then gives it back. */
export type Troubles = Record<string, () => Promise<string | undefined>>;

/** Makes a message appear on a platform of its own. */
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

/** The messages that the README's Troubleshooting lists, each at the beginning of a point. */
export function listedMessages(): string[] {
	const [, section = ''] = /^## Troubleshooting$(.*?)^## /ms.exec(readme) ?? [];
	return [...section.matchAll(/^- `([^`]+)`/gm)].map(([, message]) => message!);
}

/** Whether a message begins as it is quoted; … stands for anything. */
export function isQuotedBy(quoted: string, message: string): boolean {
	const parts = quoted.split(/ ?… ?/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	return new RegExp(`^${parts.join('.+?')}`, 's').test(message);
}
