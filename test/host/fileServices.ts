import { text } from 'node:stream/consumers';
import { loopback } from '../loopback';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

/** The header of a JPEG with these dimensions. Different names give different bytes. */
export function jpeg(name: string, width = 1080, height = 1080): Buffer {
	const segment = (marker: number, content: Buffer) => {
		const head = Buffer.from([0xff, marker, 0, 0]);
		head.writeUInt16BE(content.length + 2, 2);
		return Buffer.concat([head, content]);
	};
	const frame = Buffer.from([8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
	frame.writeUInt16BE(height, 1);
	frame.writeUInt16BE(width, 3);
	const [start, end] = [Buffer.from([0xff, 0xd8]), Buffer.from([0xff, 0xd9])];
	return Buffer.concat([start, segment(0xfe, Buffer.from(name)), segment(0xc0, frame), end]);
}

type Service = Pick<Setup, 'rest'>;

const WEBDAV = '/remote.php/webdav';
const USER = 'Basic ' + Buffer.from('n8n:app-password').toString('base64');

/** A file of the drive, without content if it cannot be downloaded. */
interface DriveFile {
	content?: Buffer;
	type: string;
}

/** A Nextcloud server with these files, of which it implements what n8n's node uses. */
export async function cloudDrive() {
	const files = new Map<string, DriveFile>();
	const state = { refusesMoves: false };
	const entry = (path: string, properties: string) =>
		`<d:response><d:href>${WEBDAV}${encodeURI(path)}</d:href><d:propstat><d:prop>` +
		`<d:getlastmodified>Mon, 05 Jan 2026 10:00:00 GMT</d:getlastmodified>${properties}` +
		'</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>';
	const folder = (path: string) =>
		entry(path, '<d:resourcetype><d:collection/></d:resourcetype><d:getetag>"f"</d:getetag>');
	const file = (path: string, { content, type }: DriveFile) =>
		entry(
			path,
			`<d:resourcetype/><d:getetag>"${path.length}-${content?.length ?? 0}"</d:getetag>` +
				`<d:getcontentlength>${content?.length ?? 0}</d:getcontentlength>` +
				`<d:getcontenttype>${type}</d:getcontenttype>`,
		);
	const list = (path: string): string => {
		const inside = [...files].filter(([one]) => one.replace(/\/[^/]*$/, '') === path);
		const entries = inside.map(([one, facts]) => file(one, facts));
		const all = [folder(`${path}/`), folder(`${path}/Posted/`), ...entries].join('');
		return `<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">${all}</d:multistatus>`;
	};
	const pathOf = (url: string) =>
		decodeURIComponent(new URL(url, 'http://127.0.0.1').pathname)
			.slice(WEBDAV.length)
			.replace(/\/+/g, '/');
	const { url, stop } = await loopback(({ method, url: target = '', headers }, response) => {
		const end = (status: number, body: string | Buffer = '') =>
			response.writeHead(status).end(body);
		const path = pathOf(target);
		const found = files.get(path);
		if (headers.authorization !== USER) return end(401);
		if (method === 'PROPFIND') return end(207, list(path));
		if (method === 'GET') return found?.content ? end(200, found.content) : end(404, 'Not found');
		if (method !== 'MOVE' || !found || state.refusesMoves) return end(403, 'Forbidden');
		files.set(pathOf(String(headers.destination)), found);
		files.delete(path);
		return end(201);
	});
	const credential = async ({ rest }: Service): Promise<Credential> =>
		await rest.createCredential({
			name: 'drive',
			type: 'nextCloudApi',
			data: { webDavUrl: `${url}${WEBDAV}`, user: 'n8n', password: 'app-password' },
		});
	return { files, state, credential, stop };
}

/** A service that generates images as OpenAI does. The test sets its responses. */
export async function imageService() {
	const received: Array<{ authorization?: string; body: unknown }> = [];
	const responses: Array<{ status?: number; body: object }> = [];
	const { url, stop } = await loopback((request, response) => {
		void text(request).then((body) => {
			const { authorization } = request.headers;
			received.push({ authorization, body: JSON.parse(body) });
			const { status = 200, body: answer } = responses.shift() ?? { status: 500, body: {} };
			response.writeHead(status, { 'content-type': 'application/json' });
			response.end(JSON.stringify(answer));
		});
	});
	const respondWith = (image: Buffer) =>
		responses.push({ body: { created: 1, data: [{ b64_json: image.toString('base64') }] } });
	const credential = async ({ rest }: Service): Promise<Credential> =>
		await rest.createCredential({
			name: 'images',
			type: 'openAiApi',
			data: { apiKey: 'sk-images', url },
		});
	return {
		url: `${url}/v1/images/generations`,
		received,
		responses,
		respondWith,
		credential,
		stop,
	};
}
