import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext, Script } from 'node:vm';
import { SocialOpenPlatform } from '../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { SocialOpenPlatformChatModel } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformChatModel.node';
import { SocialOpenPlatformTrigger } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformTrigger.node';
import { read } from './documents';
import { root } from './repositoryFiles';

interface Node {
	name: string;
	type: string;
	parameters: Record<string, object> & { socialAccountId?: { value: string } };
}

const ofNode = new SocialOpenPlatform().description.properties;
const properties: Record<string, typeof ofNode> = {
	socialOpenPlatform: ofNode,
	socialOpenPlatformTool: ofNode,
	socialOpenPlatformTrigger: new SocialOpenPlatformTrigger().description.properties,
	socialOpenPlatformChatModel: new SocialOpenPlatformChatModel().description.properties,
};

/** Parameters that n8n adds to a node that is a tool. */
const ADDED = ['descriptionType', 'toolDescription'];

/** Returns the parameters of a node, and the entries of its collections, that do not exist. */
function unknownParameters({ type, parameters }: Node): string[] {
	const declared = properties[type.split('.').at(-1)!];
	if (!declared) return [];
	return Object.entries(parameters).flatMap(([name, value]) => {
		const named = declared.filter((one) => one.name === name);
		if (named.length === 0) return ADDED.includes(name) ? [] : name;
		if (named[0]!.type !== 'collection') return [];
		const entries = named.flatMap(({ options = [] }) => options.map((one) => one.name));
		return Object.keys(value).filter((entry) => !entries.includes(entry));
	});
}

describe.each(readdirSync(join(root, 'examples')))('%s', (file) => {
	const text = read(join('examples', file));
	const { nodes } = JSON.parse(text) as { nodes: Node[] };

	test('uses only parameters that exist', () => {
		expect(nodes.flatMap(unknownParameters)).toEqual([]);
	});

	test('contains no credentials, no account, and no two nodes with the same name', () => {
		const names = nodes.map((node) => node.name);
		expect(names).toEqual([...new Set(names)]);
		expect(nodes.filter((node) => 'credentials' in node)).toEqual([]);
		const accounts = nodes.flatMap(({ parameters }) => parameters.socialAccountId?.value ?? []);
		expect(accounts.filter((value) => value !== '' && !value.startsWith('='))).toEqual([]);
	});

	test('contains only expressions that can be parsed', () => {
		for (const [, expression] of text.matchAll(/\{\{(.*?)\}\}/g)) {
			expect(() => new Script(`(${JSON.parse(`"${expression}"`)})`)).not.toThrow();
		}
	});

	test('says how to try it without posting, if it can post', () => {
		const posts = /"resource": "post",\s*"operation": "create"/.test(text);
		expect(!posts || text.includes('To try it without posting, ')).toBe(true);
	});

	test('shortens texts without cutting a character in half', () => {
		// Telegram refuses a message that contains half of a character.
		const long = `${'x'.repeat(59)}𠮷 and more`;
		const json = { body: { text: long }, Caption: long, Topic: long, data: { Caption: long } };
		const globals = { $: () => ({ first: () => ({ json }) }) };
		for (const [, expression] of text.matchAll(/\{\{(((?!\}\}).)*slice\(.*?)\}\}/g)) {
			const code = JSON.parse(`"${expression}"`) as string;
			expect(runInNewContext(code, globals)).toBe(long.slice(0, 61));
		}
	});
});

test.each([
	['form-photo-to-post', 'YYYY-MM-DD HH:MM ({{ $now.zoneName }})'],
	['one-table-for-every-post', "20 o'clock in the time zone of *⋯ → Settings → Timezone*"],
	['ghost-published-to-post', 'Ghost does not send a webhook again'],
	['cms-publish-to-post', 'drafts are posted, too'],
	['wordpress-to-post', '"value": "100"'],
	['wordpress-webp-to-post', '"value": "100"'],
])('%s contains: %s', (name, text) => {
	expect(read(join('examples', `${name}.json`))).toContain(text);
});
