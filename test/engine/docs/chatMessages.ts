import type { IDataObject } from 'n8n-workflow';
import type { ScriptedReply } from '../../emulator';
import { chat, complete } from '../harness/chats';
import { NODE_TYPE, types } from '../harness/execution';
import { onOlderN8n } from './olderN8n';
import { runWithModel } from '../harness/modelTask';
import { onPlatform, type QuotedMessages } from './quotedMessages';

const runningChat = (parameters: IDataObject = {}, fields: IDataObject = {}) =>
	onPlatform(async (platform) => {
		Object.assign(platform.credential, fields);
		return (await platform.run(chat(complete, 'Hello', parameters))).error?.message;
	});

const afterReply = (reply: ScriptedReply, parameters: IDataObject = {}) =>
	onPlatform(async (platform) => {
		platform.emulator.scriptChat([reply]);
		return (await platform.run(chat(complete, 'Hello', parameters))).error?.message;
	});

const CHAT_MODEL = `${NODE_TYPE}ChatModel`;

/** The messages of the chat operations and of the chat model. */
export const chatMessages: QuotedMessages = {
	'The platform refused the chat request: the App Secret was not accepted': runningChat(
		{},
		{ appSecret: 'mistyped' },
	),
	'The platform refused the chat request: there is no such model, or no chat endpoint at this address':
		onPlatform(async (platform) => {
			const fault = { kind: 'refused', status: 404, code: 'model_not_found' } as const;
			platform.emulator.fault({ ...fault, operation: 'chatCompletions' });
			return (await platform.run(chat(complete))).error?.message;
		}),
	'No usable response to the chat request: …': onPlatform(async (platform) => {
		platform.emulator.fault({ kind: 'server-error-before', operation: 'chatCompletions' });
		return (await platform.run(chat(complete))).error?.message;
	}),
	'The answer may be incomplete: …': afterReply({ content: 'Half', finish_reason: 'aborted' }),
	'The Social Open Platform Chat Model needs n8n 2.16 or newer': onPlatform(
		async (platform) =>
			await onOlderN8n(async (older) => {
				const newer = types[CHAT_MODEL]!;
				types[CHAT_MODEL] = older;
				const { run } = await runWithModel(platform, async (model) => await model.invoke('Hi'));
				types[CHAT_MODEL] = newer;
				return run.data.resultData.error?.message;
			}),
	),
};
