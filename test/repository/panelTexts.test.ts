import type { INodeProperties } from 'n8n-workflow';
import { SocialOpenPlatformApi } from '../../credentials/SocialOpenPlatformApi.credentials';
import { SocialOpenPlatform } from '../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { SocialOpenPlatformChatModel } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformChatModel.node';
import { SocialOpenPlatformTrigger } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformTrigger.node';

/** A field, an entry of a collection, or a choice. */
interface Entry {
	/** The labels of the outer fields and of this one. */
	path: string;
	label: string;
	type?: string;
	description?: string;
}

interface Declared {
	displayName?: string;
	name: string;
	type?: string;
	description?: string;
	options?: Declared[];
	values?: Declared[];
}

/** The number of characters above which n8n's tooltip covers its field. */
const MAX_LENGTH = 250;

/** Labels that need no description. */
const SELF_EXPLANATORY = ['Resource', 'Operation', 'SHA-256', 'SHA-512', 'SHA-1', 'MD5'];

function entriesOf(declared: object[], above = ''): Entry[] {
	return (declared as Declared[]).flatMap((one) => {
		const { displayName, name, type, description, options = [], values } = one;
		const label = displayName ?? name;
		const path = above + label;
		const inner = entriesOf(values ?? options, `${path} > `);
		const isRead = !values && type !== 'notice' && type !== 'hidden';
		return isRead ? [{ path, label, type, description }, ...inner] : inner;
	});
}

const words = (text = ''): string[] => text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? [];

/** Returns the words of a description that its label does not contain. */
function newWords({ label, description }: Entry): string[] {
	const known = words(label);
	return words(description).filter((word) => !known.includes(word));
}

describe.each([
	['credential', new SocialOpenPlatformApi().properties],
	['node', new SocialOpenPlatform().description.properties],
	['chat model', new SocialOpenPlatformChatModel().description.properties],
	['trigger', new SocialOpenPlatformTrigger().description.properties],
])('The panel of the %s', (_, properties) => {
	const entries = entriesOf(properties);
	const pathsWhere = (isSo: (entry: Entry) => boolean) =>
		entries.filter(isSo).map(({ path }) => path);

	test('has a description for every field and every choice', () => {
		const isBare = ({ label, description }: Entry) =>
			!description && !SELF_EXPLANATORY.includes(label);
		expect(entries.length).toBeGreaterThan(0);
		expect(pathsWhere(isBare)).toEqual([]);
	});

	test('has no description that only repeats its label', () => {
		const isEcho = (entry: Entry) => Boolean(entry.description) && newWords(entry).length < 2;
		expect(pathsWhere(isEcho)).toEqual([]);
	});

	test('has descriptions of Boolean fields that begin with Whether', () => {
		const isVague = ({ type, description }: Entry) =>
			type === 'boolean' && !description?.startsWith('Whether ');
		expect(pathsWhere(isVague)).toEqual([]);
	});

	test('has only labels that fit into n8n’s panel', () => {
		const isLong = ({ label, type }: Entry) => type !== undefined && label.length > 31;
		expect(pathsWhere(isLong)).toEqual([]);
	});

	test('has only descriptions that are short enough for a tooltip', () => {
		const shown = (html: string) => html.replace(/<[^>]*>/g, '');
		const isLong = ({ description = '' }: Entry) => shown(description).length > MAX_LENGTH;
		expect(pathsWhere(isLong)).toEqual([]);
	});
});

describe('The number of fields', () => {
	const { properties } = new SocialOpenPlatform().description;
	const isIn = (operation: string) => (one: INodeProperties) =>
		one.displayOptions?.show?.operation?.includes(operation) &&
		one.displayOptions.show.resource?.includes('post');
	const isList = ({ type }: INodeProperties) => type === 'collection';
	const count = (fields: INodeProperties[]) =>
		fields.flatMap((field) => (isList(field) ? field.options! : [field])).length;

	test.each(['create', 'validate'])('of %s is at most 6 on opening, and 30 in all', (operation) => {
		const fields = properties.filter(isIn(operation));
		expect(fields.filter((field) => !isList(field)).length).toBeLessThanOrEqual(6);
		expect(fields.filter(isList).map(({ displayName }) => displayName)).toEqual([
			...['Post Options', 'Sending Options'],
		]);
		expect(count(fields)).toBeLessThanOrEqual(30);
	});

	test('of the trigger is at most 6 in all', () => {
		const fields = new SocialOpenPlatformTrigger().description.properties.filter(
			({ type, displayOptions }) => type !== 'notice' && !displayOptions,
		);
		expect(count(fields)).toBeLessThanOrEqual(6);
	});
});
