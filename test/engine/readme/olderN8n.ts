import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INodeType } from 'n8n-workflow';

const root = join(__dirname, '../../..');

/** What n8n before 2.16 brings along for this package: all but the SDK of its AI nodes. */
const BROUGHT_ALONG = ['luxon', 'n8n-workflow', 'zod'];

/** Does something with the chat model, loaded from where it finds what an n8n before 2.16 has. */
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
