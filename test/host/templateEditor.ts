import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { EditorCanvas } from './editorCanvas';
import type { EditorNode } from './editorNode';
import { root } from '../n8n/pack';
import { until } from './postFlow';
import { postJson } from '../n8n/postJson';
import type { Workflow } from '../n8n/rest';
import type { TemplateSetup } from './templateSetup';
import { type Template, type TemplateRun } from './templateRuns';
import { webhookPath } from '../n8n/workflows';

/** Imports templates into the editor, fills in their fields, and runs them. */
export class TemplateEditor {
	constructor(
		private readonly setup: TemplateSetup,
		readonly canvas: EditorCanvas,
		private readonly node: EditorNode,
	) {}

	async importTemplate(name: string): Promise<void> {
		await this.canvas.importFile(join(root, 'examples', `${name}.json`));
	}

	async fillIn({ credentials = {}, fields }: Template): Promise<void> {
		const { editor } = this.setup.base;
		for (const [name, values] of Object.entries(fields?.(this.setup) ?? {})) {
			await editor.openNode(name);
			if (credentials[name]) await this.node.chooseCredential(credentials[name]);
			for (const [field, value] of Object.entries(values)) {
				if (field !== 'socialAccountId') await this.node.fill(field, value);
				else await this.node.chooseFromList(field, value, value);
			}
			await editor.settle();
			await editor.closeNode();
		}
	}

	/** Runs a template. Returns the nodes that have succeeded. */
	async run(run: TemplateRun): Promise<string[]> {
		const { start, first, body, signed, form, answer, succeeds } = run;
		await first?.(this.setup);
		const opened = form && this.setup.base.editor.page.waitForEvent('popup');
		await this.canvas.start(start);
		if (opened) await this.submit(await opened, form);
		if (body) await this.send(start, body(this.setup), signed);
		await answer?.(this.setup);
		// n8n marks each node that has run, including failed ones.
		await until(async () => {
			const marked = [
				...(await this.canvas.succeededNodes()),
				...(await this.canvas.nodesWithIssues()),
			];
			return succeeds.every((name) => marked.includes(name));
		}, 45_000);
		await this.setup.base.editor.settle();
		return await this.canvas.succeededNodes();
	}

	/** The saved version of the open workflow, and the paths of its triggers' URLs. */
	async saved() {
		const { rest, editor } = this.setup.base;
		const id = /workflow\/([^/?]+)/.exec(editor.page.url())![1]!;
		let found: (Workflow & { versionId: string }) | undefined;
		// The editor changes the URL a moment before it saves the workflow.
		await until(async () => {
			const request = rest.call<typeof found>('GET', `/rest/workflows/${id}`);
			return (found = await request.catch(() => undefined)) !== undefined;
		});
		const { nodes, versionId } = found!;
		const pathOf = (trigger: string) => webhookPath(nodes.find(({ name }) => name === trigger)!);
		return { id, versionId, pathOf };
	}

	/** Fills in and submits a form, and waits for its last page. */
	private async submit(page: Page, { values, ending }: NonNullable<TemplateRun['form']>) {
		for (const [label, value] of Object.entries(values)) {
			const field = page.getByLabel(label);
			if (typeof value === 'string') await field.fill(value);
			else await field.setInputFiles({ name: 'photo.jpg', mimeType: 'image/jpeg', buffer: value });
		}
		await page.getByRole('button', { name: 'Submit' }).click();
		await page.getByRole('heading', { name: ending }).waitFor();
		// The last page ends the execution with a request of its own.
		await page.waitForLoadState('networkidle');
		await page.close();
	}

	/** Sends a request to a trigger's test URL as soon as the trigger listens. */
	private async send(trigger: string, body: object, signed?: true): Promise<void> {
		const { n8n, emulator } = this.setup.base;
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
