import { join } from 'node:path';
import type { EditorCanvas } from './editorCanvas';
import type { EditorNode } from './editorNode';
import { root } from '../n8n/pack';
import { until } from './postFlow';
import { postJson } from '../n8n/postJson';
import type { Workflow } from '../n8n/rest';
import type { TemplateSetup } from './templateSetup';
import { type Template, type TemplateRun } from './templateRuns';
import { webhookPath } from '../n8n/workflows';

/** Somebody at the editor who imports a template, fills it in, and runs it. */
export class TemplateEditor {
	constructor(
		private readonly place: TemplateSetup,
		readonly canvas: EditorCanvas,
		private readonly node: EditorNode,
	) {}

	async importTemplate(name: string): Promise<void> {
		await this.canvas.importFile(join(root, 'examples', `${name}.json`));
	}

	async fillIn({ fields }: Template): Promise<void> {
		const { editor } = this.place.setup;
		for (const [name, values] of Object.entries(fields?.(this.place) ?? {})) {
			await editor.openNode(name);
			for (const [field, value] of Object.entries(values)) await this.node.fill(field, value);
			await editor.settle();
			await editor.closeNode();
		}
	}

	/** Runs it, and says which nodes are green once all that was to run has. */
	async run({ start, first, body, signed, green }: TemplateRun): Promise<string[]> {
		await first?.(this.place);
		await this.canvas.start(start);
		if (body) await this.send(start, body(this.place), signed);
		// What a node hands on is marked as soon as it has run; one that fails is marked, too.
		await until(async () => {
			const marked = [...(await this.canvas.green()), ...(await this.canvas.red())];
			return green.every((name) => marked.includes(name));
		}, 45_000);
		await this.place.setup.editor.settle();
		return await this.canvas.green();
	}

	/** What n8n has saved of the workflow that is open, and the paths of its triggers' URLs. */
	async saved() {
		const { rest, editor } = this.place.setup;
		const id = /workflow\/([^/?]+)/.exec(editor.page.url())![1]!;
		let found: (Workflow & { versionId: string }) | undefined;
		// The editor saves a workflow a moment after it has told the browser its address.
		await until(async () => {
			const asked = rest.call<typeof found>('GET', `/rest/workflows/${id}`);
			return (found = await asked.catch(() => undefined)) !== undefined;
		});
		const { nodes, versionId } = found!;
		const pathOf = (trigger: string) => webhookPath(nodes.find(({ name }) => name === trigger)!);
		return { id, versionId, pathOf };
	}

	/** Sends to a trigger's test URL as soon as it listens. */
	private async send(trigger: string, body: object, signed?: true): Promise<void> {
		const { n8n, emulator } = this.place.setup;
		const url = `${n8n.url}/webhook-test/${(await this.saved()).pathOf(trigger)}`;
		const sent = async () => {
			if (signed) return (await emulator.deliver(body, { url })).attempts[0]?.status;
			return (await postJson(url, body)).status;
		};
		let status: number | null | undefined;
		await until(async () => (status = await sent()) !== 404);
		expect(status).toBe(200);
	}
}
