import type { EditorPage } from './editorPage';

/** What n8n marks as wrong inside of a node. */

/**
 * Expressions with an error, fields that miss something or hold what they cannot, and errors of a
 * run. An expression that waits for a run to show its value is pending, which is not marked.
 */
const RED = [
	'.cm-invalid-resolvable',
	'[class*="parameter-issues"]',
	'[data-test-id="parameter-issues"]',
	'[data-test-id="node-error-message"]',
];

/** n8n works out the expressions of a panel a moment after it is open. */
const RESOLVED_MS = 300;

/** Opens a node, and says what in it is marked as wrong, and what with. */
export async function redIn(editor: EditorPage, node: string): Promise<string[]> {
	await editor.openNode(node);
	await editor.page.waitForTimeout(RESOLVED_MS);
	const found = await editor.at('ndv').evaluate((panel, selectors) => {
		return [...panel.querySelectorAll(selectors)].map((mark) => {
			const field = mark.closest('[data-test-id="parameter-item"]');
			return `${field?.textContent?.trim().slice(0, 40) ?? ''}: ${mark.textContent || mark.className}`;
		});
	}, RED.join(', '));
	await editor.closeNode();
	return found.map((mark) => `${node}: ${mark}`);
}
