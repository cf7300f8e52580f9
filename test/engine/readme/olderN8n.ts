import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeType } from 'n8n-workflow';

const root = join(__dirname, '../../..');

/** The modules that n8n before 2.16 provides. The SDK of its AI nodes is missing. */
const BROUGHT_ALONG = ['luxon', 'n8n-workflow', 'zod'];

/** Runs a task with the chat model, loaded with the modules of an n8n before 2.16. */
export async function onOlderN8n<T>(deed: (chatModel: INodeType) => Promise<T>): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), 'older-n8n-'));
	try {
		cpSync(join(root, 'nodes'), join(folder, 'nodes'), { recursive: true });
		mkdirSync(join(folder, 'node_modules'));
		for (const name of BROUGHT_ALONG) {
			symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
		}
		const file = 'nodes/SocialOpenPlatform/SocialOpenPlatformChatModel.node.ts';
		const { SocialOpenPlatformChatModel } = (await import(join(folder, file))) as Loaded;
		return await deed(new SocialOpenPlatformChatModel());
	} finally {
		rmSync(folder, { recursive: true });
	}
}

interface Loaded {
	SocialOpenPlatformChatModel: new () => INodeType;
}
