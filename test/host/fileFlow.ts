import { createHash, randomUUID } from 'node:crypto';
import { MediaFetcher, type FetchedMedia } from '../emulator/fetch-media';
import { samplePicture } from '../emulator/page/sample-picture';
import type { Emulator } from '../emulator';
import { loopback, type Loopback } from '../loopback';
import type { Credential, Execution, Rest, WorkflowNode } from '../n8n/rest';
import { manual, post, row } from '../n8n/workflows';
import type { Item } from './postFlow';

export const picture = samplePicture('files');
export const pictureSha256 = createHash('sha256').update(picture).digest('hex');

/** A node that provides a file. */
function source(type: string, typeVersion: number, parameters: Item): WorkflowNode {
	const name = 'Source';
	const webhookId = randomUUID();
	return { name, type: `n8n-nodes-base.${type}`, typeVersion, webhookId, parameters };
}

const file = () => new Blob([picture], { type: 'image/png' });

/** The links in a request. */
export const linksOf = (body = '{}'): string[] =>
	(JSON.parse(body) as { media_urls?: string[] }).media_urls ?? [];

const tokensOf = (links: string[]) => links.map((link) => new URL(link).searchParams.get('token')!);

const named = (secrets: string[]): Record<string, string> =>
	Object.fromEntries(secrets.map((secret, index) => [`token ${index}`, secret]));

/** Covers the header and the storage mode. */
const START = 57;

/** The beginnings of the tokens in these links. All links to files in one storage mode have the same. */
export const tokenStarts = (links: string[]) =>
	named([...new Set(tokensOf(links).map((token) => token.slice(0, START)))]);

/** Downloads a link as the platform does. */
export async function download(link: string): Promise<FetchedMedia> {
	const [media] = await new MediaFetcher().fetchAll({
		media_urls: [link],
	});
	return media!;
}

/**
 * Workflows that get a file, post it, and then do not end before the platform has published the post. So
 * the platform downloads the file during the execution.
 */
export class FileFlow {
	/** Parameters of the posting node. */
	parameters: Item = {};

	private constructor(
		private readonly rest: Rest,
		private readonly credential: Credential,
		private readonly site: Loopback,
		/** The address at which n8n receives webhooks. */
		private readonly receiver: () => string,
	) {}

	static async start(
		{ rest, emulator }: { rest: Rest; emulator: Emulator },
		credential: Credential,
		receiver = () => rest.url,
	): Promise<FileFlow> {
		const site = await loopback(({ url }, response) => {
			if (url === '/photo.png') {
				return void response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
			}
			void emulator.advance(10).then(() => {
				response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
			});
		});
		return new FileFlow(rest, credential, site, receiver);
	}

	async stop(): Promise<void> {
		await this.site.stop();
	}

	async byWebhook(): Promise<Execution> {
		const path = randomUUID();
		const node = source('webhook', 2, { httpMethod: 'POST', path, options: {} });
		const form = new FormData();
		form.append('photo', file(), 'photo.png');
		return await this.upload(node, `/webhook/${path}`, form, '={{ $binary.photo }}');
	}

	async byDownload(): Promise<Execution> {
		const options = { response: { response: { responseFormat: 'file' } } };
		const url = `${this.site.url}/photo.png`;
		return await this.manually(source('httpRequest', 4.2, { url, options }));
	}

	private nodes(first: WorkflowNode, media: string): WorkflowNode[] {
		const parameters = { text: 'A file', mediaUrls: [media], ...this.parameters };
		const options = { response: { response: { responseFormat: 'json' } } };
		const request = source('httpRequest', 4.2, { url: this.site.url, options });
		const wait = { ...request, name: 'Published' };
		return [first, post(this.credential, parameters), wait];
	}

	private async manually(node: WorkflowNode): Promise<Execution> {
		const nodes = this.nodes(node, '={{ $binary.data }}');
		const { id } = await this.rest.createWorkflow(row('files', manual(), ...nodes));
		return await this.rest.run(id, 'Start');
	}

	/** Activates a workflow that starts with an upload, uploads a file, and waits for the end. */
	private async upload(node: WorkflowNode, path: string, form: FormData, media: string) {
		const workflow = await this.rest.createWorkflow(row('files', ...this.nodes(node, media)));
		await this.rest.activate(workflow);
		const response = await fetch(`${this.receiver()}${path}`, { method: 'POST', body: form });
		expect([response.status, response.ok ? '' : await response.text()]).toStrictEqual([200, '']);
		return await this.rest.finished(await this.rest.begun(workflow.id));
	}
}
