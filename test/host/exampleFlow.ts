import { createHash, randomUUID } from 'node:crypto';
import type { EmulatedPost, FaultSpec } from '../emulator';
import { DataTable } from '../n8n/dataTable';
import { example } from '../n8n/examples';
import { thisHost } from '../n8n/hosts';
import { postJson } from '../n8n/postJson';
import type { Credential, Execution, Rest, Workflow } from '../n8n/rest';
import { Setup, withEditor } from '../n8n/setup';
import { FORM_TYPE, reference, TRIGGER_TYPE, webhookPath } from '../n8n/workflows';
import { cloudDrive, imageService } from './fileServices';
import { mailbox, type Mailbox } from './mailbox';
import { type Item, pause, until } from './postFlow';
import { telegram } from './telegram';

/** Changed parameters by the name of their node. */
type FilledIn = Record<string, Item>;

/** The platform publishes posts when its clock is moved forward by this time, and not during a test. */
const PUBLISHED_AFTER_SECONDS = 600;

const TABLE = 'n8n-nodes-base.dataTable';

/** n8n, the platform, and the other services that the examples use. */
export let setup: Setup;
export let box: Mailbox;
export let bot: Awaited<ReturnType<typeof telegram>>;
export let drive: Awaited<ReturnType<typeof cloudDrive>>;
export let images: Awaited<ReturnType<typeof imageService>>;

/** A credential for the platform, and those for other services by the start of the types of their nodes. */
let platform: Credential;
let others: Array<[nodeType: string, credential: Credential]>;

/** Starts n8n and all services for the tests of a file. */
export function useExamples(): void {
	beforeAll(async () => {
		// n8n 1 keeps files in memory by default.
		const env = { ...withEditor, N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' };
		const publishAfterSeconds = PUBLISHED_AFTER_SECONDS;
		setup = await Setup.start({ env }, { publishAfterSeconds, fetchMedia: true });
		box = await mailbox();
		bot = await telegram();
		drive = await cloudDrive();
		images = await imageService();
		const data = { host: '127.0.0.1', port: box.port, secure: false, disableStartTls: true };
		const mail = { name: 'mail', type: 'smtp', data: { ...data, user: '', password: '' } };
		platform = await setup.credential('platform');
		others = [
			['emailSend', await setup.rest.createCredential(mail)],
			['telegram', await bot.credential(setup)],
			['nextCloud', await drive.credential(setup)],
			['httpRequest', await images.credential(setup)],
		];
	});
	afterAll(async () => {
		await setup?.stop();
		for (const service of [box, bot, drive, images]) await service?.stop();
	});
}

export const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** The URL of a picture that the platform can download. */
export const pictureUrl = (name = 'lake.jpg') => `${setup.emulator.url}/media/${name}`;

/** Lets the platform publish all posts. */
export const publish = async () => await setup.emulator.advance(PUBLISHED_AFTER_SECONDS);

const textOf = ({ request }: EmulatedPost) => (request as { text: string }).text;

/** The posts whose texts start with this one, in order. */
export const posts = (start: string) =>
	setup.emulator.posts.filter((post) => textOf(post).startsWith(start));

/** The texts of these posts. */
export const texts = (start: string) => posts(start).map(textOf);

/** Adds a fault for the next post whose request contains a text. */
export const fault = (bodyHas: string, kind: FaultSpec['kind'], more: Partial<FaultSpec> = {}) =>
	setup.emulator.fault({ operation: 'createPost', bodyHas, kind, ...more });

/** Creates the tables of an example without its nodes, and chooses them in its nodes. */
async function createTables(rest: Rest, { nodes }: Workflow): Promise<void> {
	const tables = nodes.filter(({ type }) => type === TABLE);
	for (const { parameters } of tables.filter((node) => node.parameters.resource === 'table')) {
		const { column } = parameters.columns as { column: Array<{ name: string; type: string }> };
		const { id } = await DataTable.of(rest, String(parameters.tableName), column);
		for (const node of tables) {
			const locator = node.parameters.dataTableId as { value: string } | undefined;
			if (locator?.value !== parameters.tableName) continue;
			node.parameters.dataTableId = { __rl: true, mode: 'list', value: id };
		}
	}
}

/** Pastes the nodes of an example into a workflow, and connects the first output of a node to one of them. */
export function paste(into: Workflow, name: string, from: string, to: string): void {
	const { nodes, connections } = example(name, platform);
	into.nodes.push(...nodes.filter(({ type }) => !type.endsWith('stickyNote')));
	Object.assign(into.connections, connections);
	const { main } = into.connections[from] as { main: object[][] };
	main[0]!.push({ node: to, type: 'main', index: 0 });
}

/** A workflow from examples/, set up in n8n. */
export class ExampleFlow {
	private constructor(
		readonly id: string,
		readonly versionId: string,
		private readonly workflow: Workflow,
	) {}

	/**
	 * @param off the nodes to deactivate; by default, those that are deactivated in the file
	 * @param change changes the workflow before its set-up
	 */
	static async of(
		name: string,
		parameters: FilledIn = {},
		off?: string[],
		change?: (workflow: Workflow) => void,
	): Promise<ExampleFlow> {
		const workflow = example(name, platform);
		change?.(workflow);
		for (const node of workflow.nodes) {
			Object.assign(node.parameters, parameters[node.name]);
			if (off) node.disabled = off.includes(node.name);
			const used = others.find(([type]) => node.type.startsWith(`n8n-nodes-base.${type}`));
			if (used) node.credentials = reference(used[1]);
			if (node.type === TRIGGER_TYPE) node.webhookId = randomUUID();
		}
		const hasTables = workflow.nodes.some(({ type }) => type === TABLE);
		if (hasTables && !thisHost.behaviour.createsTables) await createTables(setup.rest, workflow);
		const { id, versionId } = await setup.rest.createWorkflow(workflow);
		const flow = new ExampleFlow(id, versionId, workflow);
		if (hasTables && thisHost.behaviour.createsTables) await flow.run('Set Up Once');
		return flow;
	}

	/** Sets up and activates an example. */
	static async active(...given: Parameters<typeof ExampleFlow.of>): Promise<ExampleFlow> {
		const flow = await ExampleFlow.of(...given);
		await setup.rest.activate(flow);
		return flow;
	}

	/** Also deactivates it, so that its schedule does not start it during a test. */
	static async scheduled(...given: Parameters<typeof ExampleFlow.of>): Promise<ExampleFlow> {
		const flow = await ExampleFlow.active(...given);
		await setup.rest.call('POST', `/rest/workflows/${flow.id}/deactivate`, {});
		return flow;
	}

	/** The production URL of a trigger. */
	url(name: string): string {
		const trigger = this.workflow.nodes.find((node) => node.name === name)!;
		const start = trigger.type === FORM_TYPE ? 'form' : 'webhook';
		return `${setup.n8n.url}/${start}/${webhookPath(trigger)}`;
	}

	/** Sends a request to a trigger. */
	async send(name: string, body: object): Promise<Response> {
		return await postJson(this.url(name), body);
	}

	/** Reports the status of a post to a trigger. */
	async report(name: string, data: Item): Promise<void> {
		const event = { id: randomUUID(), data };
		const { attempts } = await setup.emulator.deliver(event, { url: this.url(name) });
		expect(attempts).toMatchObject([{ status: 200 }]);
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

	/** Waits until this number of executions with the node have ended. Returns them, newest first. */
	async ended(node: string, count = 1, timeoutMs = 60_000): Promise<Execution[]> {
		const known = new Map<string, Execution>();
		let found: Execution[] = [];
		await until(async () => {
			await pause(100);
			const ids = await setup.rest.executionIds(this.id);
			for (const id of ids.filter((one) => !known.has(one))) {
				const execution = await setup.rest.execution(id);
				const isOver = ['success', 'error', 'crashed', 'canceled'].includes(execution.status);
				if (isOver && execution.raw !== '') known.set(id, execution);
			}
			found = ids.flatMap((id) => known.get(id) ?? []).filter(({ runs }) => node in runs);
			return found.length >= count;
		}, timeoutMs);
		return found;
	}

	/** The first item of a node in the newest of this number of executions with the node. */
	async output(node: string, count = 1): Promise<Item> {
		const [newest] = await this.ended(node, count);
		return outputOf(newest!, node)[0]!;
	}

	/** The number of its waiting executions. */
	async waiting(): Promise<number> {
		return await setup.rest.countExecutions(['waiting'], this.id);
	}
}

/** The output of a node's last run. */
export const outputOf = ({ runs }: Execution, node: string): Item[] =>
	(runs[node]?.at(-1)?.data?.main ?? []).flatMap((items) => (items ?? []).map(({ json }) => json));
