import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Hono } from 'hono';

import type { MediaFetcher } from './fetch-media';
import { samplePicture } from './page/sample-picture';
import { ROUTES } from './routes';

const TYPES: Record<string, string> = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

/** Allows only the page's own script, because posts contain any text. Pictures may come from any host. */
const POLICY =
	"default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src *";

function file(name: string): Response {
	const text = readFileSync(join(__dirname, 'page', name), 'utf8');
	const type = TYPES[name.split('.').pop() ?? ''] ?? 'text/plain';
	const headers = {
		'content-type': `${type}; charset=utf-8`,
		'cache-control': 'no-store',
		'content-security-policy': POLICY,
	};
	return new Response(text, { headers });
}

/** Serves the page of the feed, its style and script, the sample pictures and the fetched images. */
export function pages(media: MediaFetcher): Hono {
	const site = new Hono();
	site.get(ROUTES.feed.path, () => file('feed.html'));
	site.get(ROUTES.pageFile.path, (c) => {
		const name = c.req.param('file') ?? '';
		return name === 'feed.css' || name === 'feed.js' ? file(name) : c.notFound();
	});
	site.get(ROUTES.media.path, (c) => {
		const name = c.req.param('file') ?? '';
		if (name.startsWith('fail')) return c.notFound();
		const headers = { 'content-type': 'image/png', 'cache-control': 'max-age=3600' };
		return new Response(samplePicture(name), { headers });
	});
	site.get(ROUTES.fetched.path, (c) => {
		const found = media.files.get(c.req.param('file') ?? '');
		if (!found) return c.notFound();
		return new Response(found.content, { headers: { 'content-type': found.type } });
	});
	site.get('/favicon.ico', () => new Response(null, { status: 204 }));
	return site;
}
