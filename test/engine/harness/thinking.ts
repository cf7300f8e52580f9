import { randomUUID } from 'node:crypto';
import type { IDataObject, IRun } from 'n8n-workflow';
import { node, NODE_TYPE, start, type RunningExecution } from './execution';
import type { Platform } from './platform';
import { thoughts, type Model, type Said } from './thinker.node';

const CHAT_MODEL_TYPE = `${NODE_TYPE}ChatModel`;

/** An error as the caller of the model receives it. */
export type ThoughtError = Error & { description?: string; context?: { data?: unknown } };

export interface Outcome<T> {
	/** The result of the task. */
	value?: T;
	/** The error of the task. */
	error?: ThoughtError;
	/** The data of the execution that n8n keeps. */
	run: IRun;
}

export interface Thinking<T> extends Omit<RunningExecution, 'done'> {
	done: Promise<Outcome<T>>;
}

/** Starts n8n's engine: Start → Thinker, which uses the platform's chat model. */
export function startThinking<T>(
	{ store }: Pick<Platform, 'store'>,
	thought: (model: Model) => Promise<T>,
	parameters: IDataObject = {},
): Thinking<T> {
	const name = randomUUID();
	const came: Omit<Outcome<T>, 'run'> = {};
	thoughts.set(name, async (model) => {
		try {
			came.value = await thought(model);
		} catch (error) {
			came.error = error as ThoughtError;
			throw error;
		}
	});
	const to = (type: 'main' | 'ai_languageModel') => [[{ node: 'Thinker', type, index: 0 }]];
	const execution = start({
		nodes: [
			node('Start', 'test.passThrough'),
			node('Thinker', 'test.thinker', { thought: name }),
			{
				...node('Model', CHAT_MODEL_TYPE, { model: 'chat-large', ...parameters }),
				credentials: { socialOpenPlatformApi: { id: '1', name: 'Platform' } },
			},
		],
		connections: {
			Start: { main: to('main') },
			Model: { ai_languageModel: to('ai_languageModel') },
		},
		store,
	});
	return { ...execution, done: execution.done.then((run) => ({ ...came, run })) };
}

export const think = async <T>(...all: Parameters<typeof startThinking<T>>) =>
	await startThinking<T>(...all).done;

/** The chunks of a streamed answer, in the order of arrival. */
export async function piecesOf(model: Model, messages: unknown, how?: object): Promise<Said[]> {
	const pieces: Said[] = [];
	for await (const piece of await model.stream(messages, how)) pieces.push(piece);
	return pieces;
}

/** All chunks as one message. */
export const joined = (pieces: Said[]): Said => pieces.reduce((all, piece) => all.concat(piece));

type Ask = (model: Model, messages: unknown, how?: object) => Promise<Said>;

/** Both ways to call a model. */
export const manners: Array<{ manner: string; ask: Ask }> = [
	{ manner: 'as a whole', ask: async (model, ...said) => await model.invoke(...said) },
	{
		manner: 'piece by piece',
		ask: async (model, ...said) => joined(await piecesOf(model, ...said)),
	},
];

/** All texts that a user can read in the execution. */
export const shown = ({ run }: Outcome<unknown>) => {
	const { message, description } = run.data.resultData.error!;
	return [message, description].join(' ');
};
