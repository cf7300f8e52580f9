import './execution';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';
import { loopback, type Loopback } from '../../loopback';

export interface StoredFile extends IBinaryData {
	id: string;
}

/**
 * n8n's own storage for files, in the folder of the tests, and the route that serves files to
 * everyone who has a link. n8n's server answers in the same way.
 */
export class FileHost {
	private constructor(
		private readonly service: BinaryDataService,
		private readonly server: Loopback,
	) {}

	static async start(): Promise<FileHost> {
		const service = Container.get(BinaryDataService);
		await service.init();
		const server = await loopback((request, response) => {
			if (/bot/i.test(request.headers['user-agent'] ?? '')) {
				return void response.writeHead(204).end();
			}
			const token = new URL(request.url ?? '', server.url).searchParams.get('token') ?? '';
			const serve = async () => {
				const id = service.validateSignedToken(token);
				const { mimeType = '', fileSize } = await service.getMetadata(id);
				response.writeHead(200, { 'content-type': mimeType, 'content-length': fileSize });
				await pipeline(await service.getAsStream(id), response);
			};
			serve().catch(() => {
				if (response.headersSent) response.destroy();
				else response.writeHead(404).end();
			});
		});
		return new FileHost(service, server);
	}

	/** The address of n8n's REST interface. */
	get restApiUrl(): string {
		return `${this.server.url}/rest`;
	}

	/** The paths of requests for files, with their queries. */
	get requested(): string[] {
		return this.server.received.map(({ url = '' }) => url);
	}

	/** @param executionId `temp` for a file that a webhook received */
	async store(
		content: Buffer | Readable,
		fileName: string,
		mimeType = 'image/jpeg',
		executionId = '1',
	): Promise<StoredFile> {
		const binary: IBinaryData = { data: '', mimeType, fileName };
		const location = { type: 'execution' as const, workflowId: '1', executionId };
		return (await this.service.store(location, content, binary)) as StoredFile;
	}

	/** What n8n does with the files of a webhook when the execution ends. */
	async endExecution(file: StoredFile, executionId = '1'): Promise<StoredFile> {
		const id = file.id.replace('/executions/temp/', `/executions/${executionId}/`);
		const fileId = (whole: string) => whole.slice(whole.indexOf(':') + 1);
		await this.service.rename(fileId(file.id), fileId(id));
		return { ...file, id };
	}

	async remove({ id }: StoredFile): Promise<void> {
		await this.service.deleteManyByBinaryDataId([id]);
	}

	/** Keeps files in memory, as n8n 1 does by default, or stores them again. */
	async setMode(mode: 'default' | 'filesystem'): Promise<void> {
		Container.get(BinaryDataConfig).mode = mode;
		await this.service.init();
	}

	/** Also deletes the stored files, some of which are large. */
	async stop(): Promise<void> {
		await this.setMode('filesystem');
		await this.server.stop();
		const stored = join(process.env.N8N_USER_FOLDER!, '.n8n', 'storage');
		await rm(stored, { recursive: true, force: true });
	}
}
