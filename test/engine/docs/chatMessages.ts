import type { FaultSpec, ScriptedReply } from '../../emulator';
import { chat, complete } from '../harness/chats';
import { NODE_TYPE, types } from '../harness/execution';
import { runWithModel } from '../harness/modelTask';
import type { Platform } from '../harness/platform';
import { onOlderN8n } from './olderN8n';
import type { QuotedMessages } from './quotedMessages';

const chatError = async (platform: Platform) => (await platform.run(chat(complete))).error?.message;

const afterFault = (fault: FaultSpec) => async (platform: Platform) => {
	platform.emulator.fault(fault);
	return await chatError(platform);
};

const afterReply = (reply: ScriptedReply) => async (platform: Platform) => {
	platform.emulator.scriptChat([reply]);
	return await chatError(platform);
};

const CHAT_MODEL = `${NODE_TYPE}ChatModel`;

/** The messages of the chat operations and of the chat model. */
export const chatMessages: QuotedMessages = {
	'The platform refused the chat request: the App Secret was not accepted': async (platform) => {
		Object.assign(platform.credential, { appSecret: 'mistyped' });
		return await chatError(platform);
	},
	'The platform refused the chat request: there is no such model, or no chat endpoint at this address':
		afterFault({ kind: 'refused', status: 404, code: 'model_not_found' }),
	'No usable response to the chat request: …': afterFault({ kind: 'server-error-before' }),
	'The answer may be incomplete: …': afterReply({ content: 'Half', finish_reason: 'aborted' }),
	'The Social Open Platform Chat Model needs n8n 2.16 or newer': async (platform) =>
		await onOlderN8n(async (older) => {
			const newer = types[CHAT_MODEL]!;
			types[CHAT_MODEL] = older;
			const { run } = await runWithModel(platform, async (model) => await model.invoke('Hi'));
			types[CHAT_MODEL] = newer;
			return run.data.resultData.error?.message;
		}),
};
