import { randomUUID } from 'node:crypto';
import type { IDataObject, IRun } from 'n8n-workflow';
import { node, NODE_TYPE, start } from './execution';
import type { Platform } from './platform';
import { tasks, type Model, type ModelMessage } from './modelUser.node';

const CHAT_MODEL_TYPE = `${NODE_TYPE}ChatModel`;

/** The code that calls the model receives such an error. */
type TaskError = Error & { description?: string; context?: { data?: unknown } };

interface TaskResult<T> {
	value?: T;
	error?: TaskError;
	/** n8n stores this execution data. */
	run: IRun;
}

/** Runs a workflow with a node that runs a task with the platform's chat model. */
export async function runWithModel<T>(
	{ store }: Pick<Platform, 'store'>,
	task: (model: Model) => Promise<T>,
	parameters: IDataObject = {},
): Promise<TaskResult<T>> {
	const name = randomUUID();
	const result: Omit<TaskResult<T>, 'run'> = {};
	tasks.set(name, async (model) => {
		try {
			result.value = await task(model);
		} catch (error) {
			result.error = error as TaskError;
			throw error;
		}
	});
	const to = (type: 'main' | 'ai_languageModel') => [[{ node: 'Model User', type, index: 0 }]];
	const { done } = start({
		nodes: [
			node('Start', 'test.passThrough'),
			node('Model User', 'test.modelUser', { task: name }),
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
	const run = await done;
	return { ...result, run };
}

/** Returns the chunks of a streamed reply in the order of arrival. */
export async function piecesOf(
	model: Model,
	messages: unknown,
	options?: object,
): Promise<ModelMessage[]> {
	const pieces: ModelMessage[] = [];
	for await (const piece of await model.stream(messages, options)) pieces.push(piece);
	return pieces;
}

/** Joins all chunks into one message. */
export const joined = (pieces: ModelMessage[]): ModelMessage =>
	pieces.reduce((all, piece) => all.concat(piece));

type Ask = (model: Model, messages: unknown, options?: object) => Promise<ModelMessage>;

/** Both methods return a model's reply. The chunks of a stream are joined. */
export const modelMethods: Array<{ method: string; ask: Ask }> = [
	{ method: 'invoke', ask: async (model, ...messages) => await model.invoke(...messages) },
	{
		method: 'stream',
		ask: async (model, ...messages) => joined(await piecesOf(model, ...messages)),
	},
];

/** Returns the message and the description of the execution's error. */
export const errorTextOf = ({ run }: TaskResult<unknown>) => {
	const { message, description } = run.data.resultData.error!;
	return [message, description].join(' ');
};
