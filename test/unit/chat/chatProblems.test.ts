import { prepareCompletion } from '../../../nodes/SocialOpenPlatform/chat/complete.operation';
import { prepareResponse } from '../../../nodes/SocialOpenPlatform/chat/respond.operation';
import { chatDefaults } from './chatDefaults';

type Parameters = Record<string, unknown>;

const problems = (prepareOne: typeof prepareCompletion, parameters: Parameters) =>
	prepareOne((name) => ({ ...chatDefaults, ...parameters })[name], 0).problems.map(
		({ field, message }) => `'${field}' ${message}`,
	);
const hello = { model: 'm', messages: { message: [{ role: 'user', content: 'Hello' }] } };
const completionProblems = (more: Parameters) => problems(prepareCompletion, { ...hello, ...more });
const responseProblems = (more: Parameters) =>
	problems(prepareResponse, { model: 'm', input: 'Hello', ...more });

describe('Chat parameters', () => {
	test('reports every invalid field at once, by its label', () => {
		const parameters = {
			model: '',
			messages: {},
			...{ outputFormat: 'json_schema', jsonSchema: '{', schemaName: 'a b', strictSchema: 'maybe' },
			options: { additionalBodyFields: '[1]', timeout: 0, temperature: 3, maxTokens: 1.5 },
		};
		const labels = completionProblems(parameters).map((problem) => /^'([^']+)' /.exec(problem)![1]);
		expect(labels.sort()).toStrictEqual([
			...['JSON Schema', 'Max Tokens', 'Messages', 'Model', 'Other Fields (JSON)'],
			...['Schema Name', 'Strict Schema', 'Temperature', 'Timeout (Seconds)'],
		]);
	});

	test.each([
		['Model', { model: null }, /^is empty$/],
		['Model', { model: { id: 1 } }, /^is an object, not text/],
		['Messages', { messages: { message: [] } }, /^is empty$/],
		['Messages', { messages: {} }, /^is empty$/],
		['Messages', { messages: { message: [{ role: 'user', content: '' }] } }, /without 'content'/],
		['Messages', { messages: 'Hello' }, /^is empty$/],
		['Messages', { messages: [{ role: 'user', content: 'Hello' }] }, /^is empty$/],
		['Messages', { messages: { other: [{ role: 'user', content: 'Hello' }] } }, /^is empty$/],
		['Messages', { messages: { message: 'Hello' } }, /^row 1 .* is not a message object$/],
		['Messages (JSON)', { specifyMessages: 'json', messagesJson: '' }, /^is not a JSON list/],
		['Messages (JSON)', { specifyMessages: 'json', messagesJson: '[' }, /^is not a JSON list/],
		['Messages (JSON)', { specifyMessages: 'json', messagesJson: '[]' }, /^is empty$/],
		['Messages (JSON)', { specifyMessages: 'json', messagesJson: [{}] }, /^row 1 .* no 'role'/],
		['Messages (JSON)', { specifyMessages: 'json', messagesJson: ['x'] }, /not a message object$/],
		...[undefined, null, ''].map((content): [string, Parameters, RegExp] => [
			'Messages (JSON)',
			{
				specifyMessages: 'json',
				messagesJson: [hello.messages.message[0], { role: 'user', content }],
			},
			/^contains a message without 'content'; fill it in or remove the message$/,
		]),
		[
			'Output Format',
			{ outputFormat: 'xml' },
			/^must be one of 'text', 'json_object', 'json_schema'$/,
		],
	])('rejects an invalid %s of Create Completion: %j', (label, more, message) => {
		const told = completionProblems(more);
		expect(told).toHaveLength(1);
		expect(told[0]!.slice(0, label.length + 3)).toBe(`'${label}' `);
		expect(told[0]!.slice(label.length + 3)).toMatch(message);
	});

	test.each([
		['Input', { input: '' }, /^is empty$/],
		['Input', { input: ['x'] }, /^is a list, not text/],
		['Input', { input: 'half \ud83d' }, /^contains an incomplete character/],
		['Instructions', { instructions: { a: 1 } }, /^is an object, not text/],
		['Input (JSON)', { specifyInput: 'json', inputJson: '{}' }, /^is not a JSON list/],
		['Input (JSON)', { specifyInput: 'json', inputJson: [] }, /^is empty$/],
		['Input (JSON)', { specifyInput: 'json', inputJson: '["x"]' }, /^row 1 .*is not an object$/],
	])('rejects an invalid %s of Create Response: %j', (label, more, message) => {
		const told = responseProblems(more);
		expect(told).toHaveLength(1);
		expect(told[0]!.slice(0, label.length + 3)).toBe(`'${label}' `);
		expect(told[0]!.slice(label.length + 3)).toMatch(message);
	});

	test.each([
		['JSON Schema', { jsonSchema: '' }, /^is (not a JSON object|empty)$/],
		['JSON Schema', { jsonSchema: '[]' }, /^is not a JSON object$/],
		['JSON Schema', { jsonSchema: 'true' }, /^is not a JSON object$/],
		['Schema Name', { schemaName: '' }, /^is empty$|letters, digits/],
		['Schema Name', { schemaName: 'x'.repeat(65) }, /letters, digits/],
		['Strict Schema', { strictSchema: 'maybe' }, /^must be true or false$/],
	])('rejects an invalid %s: %j', (label, more, message) => {
		const format = { outputFormat: 'json_schema', jsonSchema: '{}' };
		for (const ask of [completionProblems, responseProblems]) {
			const told = ask({ ...format, ...more });
			expect(told).toHaveLength(1);
			expect(told[0]!.slice(0, label.length + 3)).toBe(`'${label}' `);
			expect(told[0]!.slice(label.length + 3)).toMatch(message);
		}
	});

	test.each([
		['Other Fields (JSON)', { additionalBodyFields: '[]' }, /^is not a JSON object/],
		['Other Fields (JSON)', { additionalBodyFields: '{"stream":true}' }, /'stream'/],
		['Allow Incomplete Answers', { allowIncomplete: 'yes' }, /^must be true or false$/],
		['Include Full Response', { fullResponse: 1 }, /^must be true or false$/],
		['Max Concurrent Requests', { maxConcurrentRequests: 0 }, /^must be at least 1$/],
		['Max Tokens', { maxTokens: 0 }, /^must be at least 1$/],
		['Max Tokens', { maxTokens: 'many' }, /^is not a number of tokens$/],
		['Max Tokens', { maxTokens: 1.5 }, /^is not a whole number$/],
		['Minimum Interval (Seconds)', { minimumInterval: -1 }, /^must be at least 0$/],
		['Temperature', { temperature: -0.1 }, /^must be at least 0$/],
		['Temperature', { temperature: 2.1 }, /^must be at most 2$/],
		['Temperature', { temperature: 'hot' }, /^is not a number$/],
		['Timeout (Seconds)', { timeout: 0 }, /^must be at least 0.1$/],
		['Wait for Rate Limits (Seconds)', { rateLimitWait: 86_401 }, /^must be at most 86400$/],
	])('reports an invalid chat option by its label: %s, %j', (label, options, message) => {
		for (const ask of [completionProblems, responseProblems]) {
			const told = ask({ options });
			expect(told).toHaveLength(1);
			expect(told[0]!.slice(0, label.length + 3)).toBe(`'${label}' `);
			expect(told[0]!.slice(label.length + 3)).toMatch(message);
		}
	});

	test.each([
		[completionProblems, ['model', 'messages', 'response_format', 'temperature', 'max_tokens']],
		[
			responseProblems,
			['model', 'input', 'instructions', 'text', 'temperature', 'max_output_tokens'],
		],
	])('rejects names in Other Fields (JSON) that have a field of their own', (ask, names) => {
		for (const name of names) {
			expect(ask({ options: { additionalBodyFields: { [name]: 'x' } } })).toStrictEqual([
				`'Other Fields (JSON)' contains '${name}', which has its own field; use that field instead`,
			]);
		}
	});

	test('ignores the fields of the mode that is not chosen', () => {
		expect(completionProblems({ specifyMessages: 'fields', messagesJson: '[' })).toStrictEqual([]);
		expect(responseProblems({ specifyInput: 'text', inputJson: '[' })).toStrictEqual([]);
		expect(responseProblems({ outputFormat: 'json_object', jsonSchema: '[' })).toStrictEqual([]);
	});

	test.each([[null], [''], [undefined], [[]]])(
		'accepts a message with tool calls and the content %j in Messages (JSON)',
		(content) => {
			const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
			const messagesJson = [
				...[...hello.messages.message, { role: 'assistant', content, tool_calls: [call] }],
				{ role: 'tool', tool_call_id: 'a', content: 'x' },
			];
			expect(completionProblems({ specifyMessages: 'json', messagesJson })).toStrictEqual([]);
		},
	);
});
