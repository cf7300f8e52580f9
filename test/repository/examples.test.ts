import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext, Script } from 'node:vm';
import { anchorsIn, linksIn, read } from './documents';
import { root } from './repositoryFiles';

interface Example {
	name: string;
	nodes: Array<{
		name: string;
		type: string;
		parameters: { content?: string; operation?: string; socialAccountId?: unknown };
	}>;
}

const files = readdirSync(join(root, 'examples'));
const load = (file: string) => JSON.parse(read(join('examples', file))) as Example;

/** The lines of a note without its heading and its link to the page about examples. */
const linesOf = (note: string) => note.split('\n').filter((line) => /^[^#[]/.test(line));

describe.each(files)('%s', (file) => {
	const { name, nodes } = load(file);
	const notes = nodes.flatMap(({ parameters: { content } }) => content ?? []);
	const links = notes.flatMap(linksIn);

	test('has notes of at most five short lines', () => {
		const lines = notes.map(linesOf);
		expect(notes).not.toEqual([]);
		expect(lines.filter(({ length }) => length > 5)).toEqual([]);
		expect(lines.flat().filter((line) => line.length > 120)).toEqual([]);
	});

	test('has a note that says how to try it without posting', () => {
		const isCreate = nodes.some(
			({ parameters }) => parameters.operation === 'create' && 'text' in parameters,
		);
		expect(notes.some((note) => note.includes('To try it without posting, '))).toBe(isCreate);
	});

	test('has a note that links to its section on the page about examples', () => {
		const [address, anchor, ...more] = links.flatMap((link) => link.split('#'));
		expect(address).toMatch(/\/blob\/main\/docs\/examples\.md$/);
		expect(read('docs/examples.md')).toContain(`\n## ${name}\n`);
		expect(anchor).toBe(anchorsIn(`## ${name}`)[0]);
		expect(more).toEqual([]);
	});

	test('has notes that name only nodes of the workflow', () => {
		const named = notes.flatMap((note) =>
			[...note.matchAll(/\*\*(.*?)\*\*/g)].map(([, one]) => one!),
		);
		const known = [...nodes.map((node) => node.name), 'Account', 'Post published'];
		expect(named.filter((one) => !known.includes(one))).toEqual([]);
	});

	test('has a section on the page about examples that links to its file', () => {
		const [, section] = read('docs/examples.md').split(`\n## ${name}\n`);
		expect(linksIn(section!.split('\n## ')[0]!)).toContain(`../examples/${file}`);
		expect(read('docs/examples.md').split('\n## ')[0]).toContain(
			`(#${anchorsIn(`## ${name}`)[0]})`,
		);
	});

	test('shortens texts without cutting a character in half', () => {
		// Telegram refuses a message that contains half of a character.
		const text = `${'x'.repeat(59)}𠮷 and more`;
		const json = { body: { text }, Caption: text, Topic: text, data: { Caption: text } };
		const globals = { $: () => ({ first: () => ({ json }) }) };
		const expressions = [...JSON.stringify(nodes).matchAll(/\{\{(((?!\}\}).)*slice\(.*?)\}\}/g)];
		for (const [, expression] of expressions) {
			const code = JSON.parse(`"${expression}"`) as string;
			expect(runInNewContext(code, globals)).toBe(text.slice(0, 61));
		}
	});

	test('contains only expressions that can be parsed', () => {
		for (const [, expression] of JSON.stringify(nodes).matchAll(/\{\{(.*?)\}\}/g)) {
			expect(() => new Script(`(${JSON.parse(`"${expression}"`)})`)).not.toThrow();
		}
	});

	test('leaves the choice of the account to the user, unless an item names it', () => {
		const accounts = nodes.flatMap(({ parameters }) => parameters.socialAccountId ?? []);
		const chosen = (accounts as Array<{ value: string }>).map(({ value }) => value);
		expect(chosen.filter((value) => value !== '' && !value.startsWith('='))).toEqual([]);
	});

	test('contains no credentials, and no two nodes with the same name', () => {
		const names = nodes.map((node) => node.name);
		expect(names).toEqual([...new Set(names)]);
		expect(nodes.filter((node) => 'credentials' in node)).toEqual([]);
	});
});

test('The page about examples describes only examples', () => {
	const headings = [...read('docs/examples.md').matchAll(/^## (.*)$/gm)].map(([, one]) => one);
	const names = files.map((file) => load(file).name);
	const others = ['Import a workflow', 'For all examples', 'Approval'];
	expect(headings.sort()).toEqual([...others, ...names].sort());
});
