import type { FaultSpec, ScriptedReply } from '../emulator';
import type { ChatOperation } from './chatFlow';

/** An incomplete reply, and how the node reports it. */
export interface IncompleteReply {
	reply: ScriptedReply;
	/** The text in the reply. */
	text: string;
	finish_reason: string;
	says: RegExp;
}

export const incompleteReplies: Record<string, IncompleteReply> = {
	refusal: {
		reply: { refusal: 'I would rather not.' },
		text: '',
		finish_reason: 'stop',
		says: /^The model refused to answer: “I would rather not\.”\.?$/,
	},
	'content filter': {
		reply: { content: 'Once upon a', finish_reason: 'content_filter' },
		text: 'Once upon a',
		finish_reason: 'content_filter',
		says: /^The platform['’]s content filter stopped the answer\.?$/,
	},
	'token limit': {
		reply: { content: 'Once upon a', finish_reason: 'length' },
		text: 'Once upon a',
		finish_reason: 'length',
		says: /^The answer was cut off at the token limit\.?$/,
	},
	'empty response': {
		reply: {},
		text: '',
		finish_reason: 'stop',
		says: /^The answer is empty\.?$/,
	},
};

/** A fault of the platform, and how the node reports it. */
export interface ErrorCase {
	fault: FaultSpec;
	outcome: 'refused' | 'unknown';
	says: RegExp;
	description: RegExp;
}

const noAnswer = /^No usable response to chat request \d of \d: /;
const safeToSendAgain =
	/The request publishes nothing, so it is safe to send it again\. The platform may count it twice\.$/;

export const errorCases: Record<string, ErrorCase> = {
	'HTTP 401': {
		fault: { kind: 'unauthorized-401' },
		outcome: 'refused',
		says: /^The platform refused chat request \d of \d: .+ \(.*“.+”\)/,
		description: /App Secret.*Chat Secret Header/s,
	},
	'a refusal': {
		fault: { kind: 'refused', message: '模型不存在' },
		outcome: 'refused',
		says: /^The platform refused chat request \d of \d: .+ \(“模型不存在”\)/,
		description: /\w+ .+\.$/,
	},
	'HTTP 500': {
		fault: { kind: 'server-error-before' },
		outcome: 'unknown',
		says: new RegExp(noAnswer.source + '.*HTTP 500'),
		description: safeToSendAgain,
	},
	'HTTP 500 after processing': {
		fault: { kind: 'server-error-after' },
		outcome: 'unknown',
		says: new RegExp(noAnswer.source + '.*HTTP 500'),
		description: safeToSendAgain,
	},
	'a broken connection': {
		fault: { kind: 'reset-before' },
		outcome: 'unknown',
		says: new RegExp(noAnswer.source + '.*connection'),
		description: safeToSendAgain,
	},
	'an incomplete response': {
		fault: { kind: 'truncated-json' },
		outcome: 'unknown',
		says: noAnswer,
		description: safeToSendAgain,
	},
	'a cut connection': {
		fault: { kind: 'stream-cut' },
		outcome: 'unknown',
		says: noAnswer,
		description: safeToSendAgain,
	},
	'a web page': {
		fault: { kind: 'html' },
		outcome: 'unknown',
		says: new RegExp(noAnswer.source + '.*(HTML|web page)', 'i'),
		description: safeToSendAgain,
	},
};

/** Invalid parameters, and the labels of their fields. */
export const invalidParameters = (way: ChatOperation) => ({
	parameters: {
		...way.askingJson('{"role":'),
		model: '={{ "" }}',
		outputFormat: 'json_schema',
		jsonSchema: '[1]',
	},
	options: { temperature: 3, maxTokens: -1, additionalBodyFields: '{"model": "other"}' },
	labels: ['Model', /Messages \(JSON\)|Input \(JSON\)/, 'JSON Schema', 'Temperature', 'Max Tokens'],
});
