import type { FaultSpec } from '../emulator';
import { activate, example } from '../n8n/examples';
import { postJson } from '../n8n/postJson';
import type { Credential, Execution } from '../n8n/rest';
import { Setup } from '../n8n/setup';
import { type Item, PostTexts, until } from './postFlow';

/** The platform publishes posts when its clock is moved forward by this time, and not during a test. */
const PUBLISHED_AFTER_SECONDS = 600;

export let setup: Setup;
export let platform: Credential;

/**
 * Starts n8n and a platform for the tests of a file.
 *
 * @param more environment variables of n8n
 * @param startServer starts another server at the same time
 */
export function useExamples(
	more: NodeJS.ProcessEnv = {},
	startServer?: () => Promise<unknown>,
): void {
	beforeAll(async () => {
		// n8n 1 keeps files in memory by default.
		const env = { ...more, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
		const publishAfterSeconds = PUBLISHED_AFTER_SECONDS;
		const starting = Setup.start({ env }, { publishAfterSeconds, fetchMedia: true });
		[setup] = await Promise.all([starting, startServer?.()]);
		platform = await setup.credential('platform');
	});
	afterAll(async () => await setup?.stop());
}

/** The URL of a picture that the platform can download. */
export const pictureUrl = (name = 'lake.jpg') => `${setup.emulator.url}/media/${name}`;

/** Lets the platform publish all posts. */
export const publish = async () => await setup.emulator.advance(PUBLISHED_AFTER_SECONDS);

/** The texts of all posts that start with this text, in order. */
export const texts = (start: string) =>
	new PostTexts(setup.emulator).posted().filter((text) => text.startsWith(start));

/** The posts whose texts start with this text, in order. */
export const posts = (start: string) =>
	setup.emulator.posts.filter(({ request }) =>
		(request as { text: string }).text.startsWith(start),
	);

/** Adds a fault for the next post whose request contains a text. */
export const fault = (bodyHas: string, kind: FaultSpec['kind']) =>
	setup.emulator.fault({ operation: 'createPost', bodyHas, kind });

/** A workflow from examples/, set up and active in n8n. */
export class ExampleFlow {
	private constructor(
		private readonly id: string,
		/** The production URL of its trigger, if it receives requests. */
		readonly url: string,
	) {}

	/** @param parameters changed parameters by the name of their node */
	private static async create(name: string, parameters: Record<string, Item>): Promise<string> {
		const workflow = example(name, platform);
		for (const node of workflow.nodes) Object.assign(node.parameters, parameters[node.name]);
		return (await setup.rest.createWorkflow(workflow)).id;
	}

	static async active(name: string, parameters: Record<string, Item> = {}): Promise<ExampleFlow> {
		const id = await ExampleFlow.create(name, parameters);
		return new ExampleFlow(id, (await activate(setup.rest, id)).url);
	}

	/** Imports an example that a schedule starts, without activating it. */
	static async scheduled(name: string, parameters: Record<string, Item>): Promise<ExampleFlow> {
		return new ExampleFlow(await ExampleFlow.create(name, parameters), '');
	}

	/** Sends a request to its trigger. */
	async send(body: object): Promise<[status: number, body: unknown]> {
		const response = await postJson(this.url, body);
		return [response.status, await response.json()];
	}

	/** Runs the workflow manually from a trigger. */
	async run(trigger: string): Promise<Execution> {
		const execution = await setup.rest.run(this.id, trigger);
		expect(execution).toMatchObject({ status: 'success', error: undefined });
		return execution;
	}

	/** Runs it like `run`, and expects that it fails with a message. */
	async fails(trigger: string, message: RegExp): Promise<Execution> {
		const execution = await setup.rest.run(this.id, trigger);
		const error = { message: expect.stringMatching(message) as string };
		expect(execution).toMatchObject({ status: 'error', error });
		return execution;
	}

	/** Waits until this number of executions with the node have ended. Returns the newest of them. */
	async ended(node: string, count = 1): Promise<Execution> {
		const newest = async () => {
			const ids = await setup.rest.executionIds(this.id);
			const all = await Promise.all(ids.map(async (id) => await setup.rest.finished(id)));
			const found = all.filter(({ runs }) => node in runs);
			return found.length >= count && found[0];
		};
		return await until(newest, 60_000, `${count} executions with ${node}`);
	}
}
