import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeType } from 'n8n-workflow';

const root = join(__dirname, '../../..');

/** The modules that n8n before 2.16 provides. It does not provide the SDK for AI nodes. */
const PROVIDED = ['luxon', 'n8n-workflow', 'zod'];

/** Runs a task with a chat model that is loaded with the modules of n8n before 2.16. */
export async function onOlderN8n<T>(task: (chatModel: INodeType) => Promise<T>): Promise<T> {
	const folder = mkdtempSync(join(tmpdir(), 'older-n8n-'));
	try {
		cpSync(join(root, 'nodes'), join(folder, 'nodes'), { recursive: true });
		mkdirSync(join(folder, 'node_modules'));
		for (const name of PROVIDED) {
			symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
		}
		const file = 'nodes/SocialOpenPlatform/SocialOpenPlatformChatModel.node.ts';
		const { SocialOpenPlatformChatModel } = (await import(join(folder, file))) as Loaded;
		return await task(new SocialOpenPlatformChatModel());
	} finally {
		rmSync(folder, { recursive: true });
	}
}

interface Loaded {
	SocialOpenPlatformChatModel: new () => INodeType;
}
