import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SocialOpenPlatformApi } from '../../credentials/SocialOpenPlatformApi.credentials';
import { SocialOpenPlatform } from '../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { SocialOpenPlatformChatModel } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformChatModel.node';
import { SocialOpenPlatformTrigger } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformTrigger.node';
import { repositoryFiles, root } from './repositoryFiles';

/** Checks the guidelines of n8n that linters do not check. docs/verification.md lists the others. */

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const filesEndingWith = (end: string) => repositoryFiles().filter((path) => path.endsWith(end));

const panels = {
	credential: new SocialOpenPlatformApi(),
	node: new SocialOpenPlatform().description,
	chatModel: new SocialOpenPlatformChatModel().description,
	trigger: new SocialOpenPlatformTrigger().description,
};

interface Field {
	type?: string;
	placeholder?: string;
}

/** Returns all properties of a panel that have a placeholder, at any depth. */
function fieldsWithPlaceholder(panel: unknown): Field[] {
	if (typeof panel !== 'object' || panel === null) return [];
	const inner = Object.values(panel).flatMap(fieldsWithPlaceholder);
	return 'placeholder' in panel ? [panel as Field, ...inner] : inner;
}

describe.each(Object.entries(panels))('The panel of the %s', (_, panel) => {
	test('is in English', () => {
		expect(JSON.stringify(panel)).not.toMatch(/(?!\p{Script=Latin})\p{L}/u);
	});

	test('has placeholders that begin with "e.g."', () => {
		const examples = fieldsWithPlaceholder(panel)
			.filter(({ type }) => !/collection/i.test(type ?? ''))
			.map(({ placeholder }) => placeholder);
		expect(examples.filter((example) => !example?.startsWith('e.g. '))).toEqual([]);
	});
});

test.each(filesEndingWith('.md'))('%s is in English', (path) => {
	expect(read(path)).not.toMatch(/(?!\p{Script=Latin})\p{L}/u);
});

/** https://docs.n8n.io/connect/create-nodes/build-your-node/reference/codex-files#node-categories */
const categories = [
	...['Analytics', 'Communication', 'Data & Storage', 'Development', 'Finance & Accounting'],
	...['Marketing & Content', 'Miscellaneous', 'Productivity', 'Sales', 'Utility'],
	// This category is for nodes made with n8n's AI node SDK, which have a section of their own in the nodes panel.
	'AI',
];

test.each(filesEndingWith('.node.json'))('%s names existing categories of n8n', (path) => {
	const codex = JSON.parse(read(path)) as {
		categories: string[];
		subcategories?: Record<string, string[]>;
	};
	expect(codex.categories.length).toBeGreaterThan(0);
	expect(categories).toEqual(expect.arrayContaining(codex.categories));
	// n8n hides an AI node from its search unless the node has a subcategory.
	const isForAi = codex.categories.includes('AI');
	expect(Boolean(codex.subcategories?.AI?.length)).toBe(isForAi);
	// A rule proposed for n8n's linter allows this category only to nodes that import n8n's SDK.
	expect(read(path.replace(/json$/, 'ts')).includes("from '@n8n/ai-node-sdk'")).toBe(isForAi);
});

const backgrounds = [
	{ icon: 'socialOpenPlatform.svg', background: '#ffffff' },
	{ icon: 'socialOpenPlatform.dark.svg', background: '#2b2b2b' },
];

test.each(backgrounds)(
	'Every color of $icon has enough contrast on $background',
	({ icon, background }) => {
		const colors = read(`nodes/SocialOpenPlatform/${icon}`).match(/#[\da-f]{6}/gi) ?? [];
		expect(colors.length).toBeGreaterThan(0);
		for (const color of colors) expect(contrast(color, background)).toBeGreaterThan(3);
	},
);

/** Returns the contrast ratio of WCAG 2 from 1 to 21. Graphics need at least 3. */
function contrast(one: string, other: string): number {
	const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
		number,
		number,
	];
	return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
	const [red, green, blue] = [1, 3, 5]
		.map((at) => parseInt(color.slice(at, at + 2), 16) / 255)
		.map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [
		number,
		number,
		number,
	];
	return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
