import { z } from 'zod/v4';

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a URL's host is this machine itself, so that nothing sent to it passes a network. */
export function isLoopback(url: URL): boolean {
	return LOOPBACK.test(url.hostname);
}

function problemOf(url: URL | undefined): string | undefined {
	if (!url || !/^https?:$/.test(url.protocol)) {
		return 'is not a web address; it should look like https://api.example.com';
	}
	if (url.username || url.password) return 'holds a user name or password; leave them out';
	if (url.search || url.hash) return 'holds a ? or # part; leave it out';
	return undefined;
}

/** What the operations' paths begin with; often copied along from the platform's documentation. */
const API_PREFIX = /\/api\/v1$/;

/** A text without the slashes at its end; a pattern would take long over many in its middle. */
export function withoutSlashesAtEnd(text: string): string {
	let end = text.length;
	while (text[end - 1] === '/') end--;
	return text.slice(0, end);
}

/** The Base URL: http or https, a path at most; slashes and an `/api/v1` at its end are dropped. */
export const baseUrlSchema = z.string().transform((text, context) => {
	const trimmed = withoutSlashesAtEnd(text.trim()).replace(API_PREFIX, '');
	const url = URL.canParse(trimmed) ? new URL(trimmed) : undefined;
	const problem = problemOf(url);
	if (problem) context.addIssue({ code: 'custom', message: `Base URL ${problem}` });
	return problem || !url ? z.NEVER : url;
});
