import { SocialOpenPlatformApi } from '../../credentials/SocialOpenPlatformApi.credentials';
import { SocialOpenPlatform } from '../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { SocialOpenPlatformChatModel } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformChatModel.node';
import { SocialOpenPlatformTrigger } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformTrigger.node';
import { read } from './documents';
import { repositoryFiles } from './repositoryFiles';

/** Checks the guidelines of n8n that linters do not check. docs/development/verification.md lists the others. */

/** A field, an entry of a collection, or a choice. */
interface Declared {
	displayName?: string;
	name: string;
	type?: string;
	description?: string;
	placeholder?: string;
	options?: Declared[];
	values?: Declared[];
}

/** The number of characters above which n8n's tooltip covers its field, and a label its column. */
const MAX = { description: 250, label: 31 };

/** Labels that need no description. */
const SELF_EXPLANATORY = ['Resource', 'Operation', 'SHA-256', 'SHA-512', 'SHA-1', 'MD5'];

const isInEnglish = (text: string) => !/(?!\p{Script=Latin})\p{L}/u.test(text);

const entriesOf = (declared: object[]): Declared[] =>
	(declared as Declared[]).flatMap((one) => [
		...(one.values || one.type === 'notice' || one.type === 'hidden' ? [] : [one]),
		...entriesOf(one.values ?? one.options ?? []),
	]);

const words = (text = ''): string[] => text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? [];

function problemsOf({ displayName, name, type, description = '', placeholder }: Declared) {
	const label = displayName ?? name;
	const newWords = words(description).filter((word) => !words(label).includes(word));
	const isList = /collection/i.test(type ?? '');
	const problems = {
		'says nothing beyond its label': newWords.length < 2 && !SELF_EXPLANATORY.includes(label),
		'is a Boolean that does not begin with Whether':
			type === 'boolean' && !description.startsWith('Whether '),
		'is longer than a tooltip': description.replace(/<[^>]*>/g, '').length > MAX.description,
		'has a long label': type !== undefined && label.length > MAX.label,
		'has a placeholder without e.g.':
			placeholder !== undefined && !isList && !placeholder.startsWith('e.g. '),
	};
	return Object.entries(problems).flatMap(([text, is]) => (is ? `${label} ${text}` : []));
}

test.each([
	['credential', new SocialOpenPlatformApi().properties],
	['node', new SocialOpenPlatform().description.properties],
	['chat model', new SocialOpenPlatformChatModel().description.properties],
	['trigger', new SocialOpenPlatformTrigger().description.properties],
])('The panel of the %s is in English, and each field has a description', (_, properties) => {
	expect(isInEnglish(JSON.stringify(properties))).toBe(true);
	expect(entriesOf(properties).flatMap(problemsOf)).toEqual([]);
});

const filesEndingWith = (end: string) => repositoryFiles().filter((path) => path.endsWith(end));

test('All documents are in English', () => {
	expect(filesEndingWith('.md').filter((path) => !isInEnglish(read(path)))).toEqual([]);
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
	expect(codex.categories).not.toEqual([]);
	expect(categories).toEqual(expect.arrayContaining(codex.categories));
	// n8n hides an AI node from its search unless the node has a subcategory.
	const isForAi = codex.categories.includes('AI');
	expect(Boolean(codex.subcategories?.AI?.length)).toBe(isForAi);
	// A rule proposed for n8n's linter allows this category only to nodes that import n8n's SDK.
	expect(read(path.replace(/json$/, 'ts')).includes("from '@n8n/ai-node-sdk'")).toBe(isForAi);
});
