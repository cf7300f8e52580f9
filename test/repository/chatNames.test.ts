import { createCompletion } from '../../nodes/SocialOpenPlatform/chat/complete.operation';
import { chatOptionsSchema } from '../../nodes/SocialOpenPlatform/chat/fields';
import { prepareChat } from '../../nodes/SocialOpenPlatform/chat/request';
import { createResponse } from '../../nodes/SocialOpenPlatform/chat/respond.operation';
import { SocialOpenPlatform } from '../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { SocialOpenPlatformChatModel } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformChatModel.node';
import { pathsOf, shownFor, valuesOf } from './parameterPaths';

const chat = shownFor('chat', new SocialOpenPlatform().description.properties);
const { description: model } = new SocialOpenPlatformChatModel();

describe('The names of the chat in saved workflows', () => {
	test('include the chat operations and the values of their options', () => {
		expect(valuesOf('operation', chat)).toStrictEqual(['complete', 'respond']);
		expect(valuesOf('specifyMessages', chat)).toStrictEqual(['fields', 'json']);
		expect(valuesOf('specifyInput', chat)).toStrictEqual(['text', 'json']);
		const formats = valuesOf('outputFormat', chat)!;
		expect([...formats].sort()).toStrictEqual(['json_object', 'json_schema', 'text']);
		const role = JSON.stringify(chat.find(({ name }) => name === 'messages'));
		for (const value of ['assistant', 'system', 'user']) {
			expect(role).toContain(`"value":"${value}"`);
		}
	});

	test('include the parameters of the chat', () => {
		expect(chat.flatMap((property) => pathsOf(property))).toStrictEqual([
			...['resource', 'operation', 'model'],
			...['specifyMessages', 'messages.message.role', 'messages.message.content', 'messagesJson'],
			...['instructions', 'specifyInput', 'input', 'inputJson'],
			...['outputFormat', 'jsonSchema', 'schemaName', 'strictSchema'],
			'options.allowIncomplete',
			'options.maxTokens',
			'options.temperature',
			'options.timeout',
			'options.rateLimitWait',
			'options.additionalBodyFields',
		]);
	});

	test('include the chat model and its parameters', () => {
		expect(model.name).toBe('socialOpenPlatformChatModel');
		expect(model).toMatchObject({ inputs: [], outputs: ['ai_languageModel'] });
		expect(model.credentials).toStrictEqual([{ name: 'socialOpenPlatformApi', required: true }]);
		expect(model.properties.flatMap((property) => pathsOf(property))).toStrictEqual([
			'model',
			'options.maxRetries',
			'options.maxTokens',
			'options.temperature',
			'options.timeout',
			'options.additionalBodyFields',
		]);
	});
});

describe('The declared parameters of the chat', () => {
	const optionsOf = (paths: string[]) =>
		paths.flatMap((path) => /^options\.(.+)/.exec(path)?.[1] ?? []).sort();
	const shown = chat.flatMap((property) => pathsOf(property));

	test('are all read by the chat operations', () => {
		const read = new Set<string>();
		for (const by of ['fields', 'json', 'text']) {
			const parameter = (name: string, _: number, fallback: unknown) => {
				read.add(name);
				if (name === 'outputFormat') return 'json_schema';
				return name.startsWith('specify') ? by : fallback;
			};
			for (const operation of [createCompletion, createResponse])
				prepareChat(operation, parameter, 0);
		}
		const declared = new Set(shown.map((path) => path.split('.')[0]!));
		const elsewhere = ['resource', 'operation'];
		expect([...read].sort()).toStrictEqual(
			[...declared].filter((name) => !elsewhere.includes(name)).sort(),
		);
	});

	test('include every option of the chat and of the chat model', () => {
		const options = [...shown, ...model.properties.flatMap((property) => pathsOf(property))];
		expect(Object.keys(chatOptionsSchema().shape)).toStrictEqual([...new Set(optionsOf(options))]);
	});

	test('have the defaults that apply when they are missing', () => {
		const declared = [...chat, ...model.properties].flatMap(({ name, options = [] }) =>
			name === 'options' ? options : [],
		) as Array<{ name: string; default: unknown }>;
		const read = Object.entries(chatOptionsSchema().parse({})).filter(
			([, value]) => value !== undefined,
		);
		for (const [name, value] of read) {
			for (const option of declared.filter((one) => one.name === name)) {
				expect(option.default).toStrictEqual(value);
			}
		}
	});
});
