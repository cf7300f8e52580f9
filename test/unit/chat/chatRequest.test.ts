import fc from 'fast-check';
import { createCompletion } from '../../../nodes/SocialOpenPlatform/chat/complete.operation';
import { prepareChat, type ChatOperation } from '../../../nodes/SocialOpenPlatform/chat/resource';
import { createResponse } from '../../../nodes/SocialOpenPlatform/chat/respond.operation';

type Parameters = Record<string, unknown>;
type Preparation = typeof prepareChat;

/** n8n sets these defaults in a chat operation. */
const chatDefaults = {
	...{ outputFormat: 'text', strictSchema: false, options: {} },
};
const prepare = (operation: ChatOperation, parameters: Parameters) =>
	prepareChat(operation, (name) => ({ ...chatDefaults, ...parameters })[name], 0);
const hello = { model: 'm', messages: { message: [{ role: 'user', content: 'Hello' }] } };
const completion = (parameters: Parameters = {}) =>
	prepare(createCompletion, { ...hello, ...parameters });
const response = (parameters: Parameters = {}) =>
	prepare(createResponse, { model: 'm', input: 'Hello', ...parameters });
const options = {
	additionalBodyFields: '{"top_p":0.9,"seed":9007199254740993}',
	...{ maxTokens: 50, temperature: 0, timeout: 9, rateLimitWait: 8 },
};

describe('Chat options', () => {
	test('may be text, as expressions return it', () => {
		const asText = {
			...{ temperature: '0.5', maxTokens: '50', timeout: ' 9 ', rateLimitWait: '0' },
		};
		const { options: read, issues, body } = completion({ options: asText });
		expect(issues).toStrictEqual([]);
		expect(read).toMatchObject({ timeout: 9, rateLimitWait: 0 });
		expect(body).toMatchObject({ temperature: 0.5, max_tokens: 50 });
	});

	test.each([null, ''])('count as not set when an expression returns %j', (nothing) => {
		const unset = Object.fromEntries(Object.keys(options).map((name) => [name, nothing]));
		expect(completion({ options: unset })).toStrictEqual(completion());
	});

	test('have default values', () => {
		expect(response().options).toMatchObject({
			...{ rateLimitWait: 300, timeout: 300 },
		});
	});
});

describe('Create Completion and Create Response', () => {
	const text = fc.string({ unit: 'grapheme', minLength: 1 });

	test('send any text unchanged', () => {
		fc.assert(
			fc.property(text, text, (asked, role) => {
				const messages = { message: [{ role, content: asked }] };
				expect(completion({ messages }).body.messages).toStrictEqual(messages.message);
				expect(response({ input: asked, instructions: role }).body).toStrictEqual({
					...{ model: 'm', input: asked, instructions: role },
					...{ text: undefined, temperature: undefined, max_output_tokens: undefined },
				});
			}),
		);
	});
});

const issuesOf = ({ issues }: ReturnType<Preparation>) =>
	issues.map(({ field, message }) => `'${field}' ${message}`);
const completionIssues = (more: Parameters) => issuesOf(completion(more));
const responseIssues = (more: Parameters) => issuesOf(response(more));

/** Expects one issue, which names the field by its label. */
function expectIssue(issues: string[], label: string, message: RegExp): void {
	expect(issues).toHaveLength(1);
	expect(issues[0]!.slice(0, label.length + 3)).toBe(`'${label}' `);
	expect(issues[0]!.slice(label.length + 3)).toMatch(message);
}

describe('Chat parameters', () => {
	test('reports every invalid field at once, by its label', () => {
		const parameters = {
			model: '',
			messages: {},
			...{ outputFormat: 'json_schema', jsonSchema: '{', strictSchema: 'maybe' },
			options: { additionalBodyFields: '[1]', timeout: 0, temperature: 3, maxTokens: 1.5 },
		};
		const labels = completionIssues(parameters).map((issue) => /^'([^']+)' /.exec(issue)![1]);
		expect(labels.sort()).toStrictEqual([
			...['JSON Schema', 'Max Tokens', 'Messages', 'Model', 'Other Fields (JSON)'],
			...['Strict Schema', 'Temperature', 'Timeout (Seconds)'],
		]);
	});

	test.each([
		['Model', { model: null }, /^is empty$/],
		['Model', { model: { id: 1 } }, /^is an object, not text/],
		['Messages', { messages: { message: [] } }, /^is empty$/],
		['Messages', { messages: { message: [{ role: 'user', content: '' }] } }, /without 'content'/],
		['Messages', { messages: 'Hello' }, /^is empty$/],
		['Messages', { messages: { message: 'Hello' } }, /^row 1 .* is not a message object$/],
		['Messages (JSON)', { specifyMessages: 'json', messagesJson: '[' }, /^is not a JSON list/],
		['Messages (JSON)', { specifyMessages: 'json', messagesJson: '[]' }, /^is empty$/],
		['Messages (JSON)', { specifyMessages: 'json', messagesJson: [{}] }, /^row 1 .* no 'role'/],
		['Messages (JSON)', { specifyMessages: 'json', messagesJson: ['x'] }, /not a message object$/],
		[
			'Messages (JSON)',
			{
				specifyMessages: 'json',
				messagesJson: [hello.messages.message[0], { role: 'user', content: null }],
			},
			/^contains a message without 'content'; fill it in or remove the message$/,
		],
		[
			'Output Format',
			{ outputFormat: 'xml' },
			/^must be one of 'text', 'json_object', 'json_schema'$/,
		],
	])('rejects an invalid %s of Create Completion: %j', (label, more, message) => {
		expectIssue(completionIssues(more), label, message);
	});

	test.each([
		['Input', { input: '' }, /^is empty$/],
		['Input', { input: 'half \ud83d' }, /^contains an incomplete character/],
		['Instructions', { instructions: { a: 1 } }, /^is an object, not text/],
		['Input', { input: { a: 1 } }, /^is an object, not text/],
		['Input', { input: [] }, /^is empty$/],
		['Input', { input: ['x'] }, /^row 1 .*is not an object$/],
	])('rejects an invalid %s of Create Response: %j', (label, more, message) => {
		expectIssue(responseIssues(more), label, message);
	});

	test.each([
		['JSON Schema', { jsonSchema: '' }, /^is (not a JSON object|empty)$/],
		['JSON Schema', { jsonSchema: '[]' }, /^is not a JSON object$/],
		['Strict Schema', { strictSchema: 'maybe' }, /^must be true or false$/],
	])('rejects an invalid %s: %j', (label, more, message) => {
		const format = { outputFormat: 'json_schema', jsonSchema: '{}' };
		for (const ask of [completionIssues, responseIssues]) {
			expectIssue(ask({ ...format, ...more }), label, message);
		}
	});

	test.each([
		['Other Fields (JSON)', { additionalBodyFields: '[]' }, /^is not a JSON object/],
		['Other Fields (JSON)', { additionalBodyFields: '{"stream":true}' }, /'stream'/],
		['Max Tokens', { maxTokens: 0 }, /^must be at least 1$/],
		['Max Tokens', { maxTokens: 'many' }, /^is not a number of tokens$/],
		['Max Tokens', { maxTokens: 1.5 }, /^is not a whole number$/],
		['Temperature', { temperature: 2.1 }, /^must be at most 2$/],
		['Timeout (Seconds)', { timeout: 0 }, /^must be at least 0.1$/],
		['Wait for Rate Limits (Seconds)', { rateLimitWait: 86_401 }, /^must be at most 86400$/],
	])('reports an invalid chat option by its label: %s, %j', (label, options, message) => {
		for (const ask of [completionIssues, responseIssues]) {
			expectIssue(ask({ options }), label, message);
		}
	});

	test.each([
		[
			completionIssues,
			['model', 'messages', 'response_format', 'temperature', 'max_tokens', 'n', 'stream'],
		],
		[
			responseIssues,
			['model', 'input', 'instructions', 'text', 'temperature', 'max_output_tokens'],
		],
	])('rejects names in Other Fields (JSON) that the node itself sets or reads', (ask, names) => {
		for (const name of names) {
			expect(ask({ options: { additionalBodyFields: { [name]: 'x' } } })).toStrictEqual([
				`'Other Fields (JSON)' contains '${name}', which cannot be set here; use its own field, if it has one`,
			]);
		}
	});

	test('ignores the fields of the mode that is not chosen', () => {
		expect(completionIssues({ specifyMessages: 'fields', messagesJson: '[' })).toStrictEqual([]);
		expect(responseIssues({ outputFormat: 'json_object', jsonSchema: '[' })).toStrictEqual([]);
	});

	test.each([[null], [''], [[]]])(
		'accepts a message with tool calls and the content %j in Messages (JSON)',
		(content) => {
			const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
			const messagesJson = [
				...[...hello.messages.message, { role: 'assistant', content, tool_calls: [call] }],
				{ role: 'tool', tool_call_id: 'a', content: 'x' },
			];
			expect(completionIssues({ specifyMessages: 'json', messagesJson })).toStrictEqual([]);
		},
	);
});
