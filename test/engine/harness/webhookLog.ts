// This import must come first, because it sets environment variables that n8n-core reads while it loads.
import './engine';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';

/** The entries that the triggers of a test file write to n8n's log. */
export const log: Array<{ level: string; message: string; meta: unknown }> = [];

const write = (level: string) => (message: string, meta?: unknown) =>
	void log.push({ level, message, meta });

Container.set(Logger, {
	error: write('error'),
	warn: write('warn'),
	info: write('info'),
	debug: write('debug'),
	scoped: () => Container.get(Logger),
} as never);
