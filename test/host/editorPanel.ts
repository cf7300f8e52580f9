import type { EditorPage } from './editorPage';

/**
 * Invalid expressions, fields with issues, and errors of a run. An expression whose value depends on a
 * run is not marked.
 */
const ISSUES = [
	'.cm-invalid-resolvable',
	'[class*="parameter-issues"]',
	'[data-test-id="parameter-issues"]',
	'[data-test-id="node-error-message"]',
];

/** n8n evaluates the expressions of a node a moment after it is opened. */
const RESOLVED_MS = 300;

/** The fields of the open node that n8n marks as invalid, with the marks. */
export async function openIssues(editor: EditorPage): Promise<string[]> {
	return await editor.at('ndv').evaluate((panel, selectors) => {
		return [...panel.querySelectorAll(selectors)].map((mark) => {
			const field = mark.closest('[data-test-id="parameter-item"]');
			return `${field?.textContent?.trim().slice(0, 40) ?? ''}: ${mark.textContent || mark.className}`;
		});
	}, ISSUES.join(', '));
}

/** Opens a node, and returns the fields that n8n marks as invalid, with the node and the marks. */
export async function issuesIn(editor: EditorPage, node: string): Promise<string[]> {
	await editor.openNode(node);
	await editor.page.waitForTimeout(RESOLVED_MS);
	const found = await openIssues(editor);
	await editor.closeNode();
	return found.map((mark) => `${node}: ${mark}`);
}
