import fc from 'fast-check';
import { prepareCompletion } from '../../../nodes/SocialOpenPlatform/chat/complete.operation';
import { prepareResponse } from '../../../nodes/SocialOpenPlatform/chat/respond.operation';
import { chatDefaults } from './chatDefaults';

type Parameters = Record<string, unknown>;
type Preparation = typeof prepareCompletion;

const prepare = (prepareOne: Preparation, parameters: Parameters) =>
	prepareOne((name) => ({ ...chatDefaults, ...parameters })[name], 0);
const hello = { model: 'm', messages: { message: [{ role: 'user', content: 'Hello' }] } };
const completion = (parameters: Parameters = {}) =>
	prepare(prepareCompletion, { ...hello, ...parameters });
const response = (parameters: Parameters = {}) =>
	prepare(prepareResponse, { model: 'm', input: 'Hello', ...parameters });
const wire = ({ body, problems }: ReturnType<Preparation>) => {
	expect(problems).toStrictEqual([]);
	return JSON.stringify(body);
};

const options = {
	additionalBodyFields: '{"top_p":0.9,"seed":9007199254740993}',
	...{ allowIncomplete: true, fullResponse: true, maxConcurrentRequests: 2, maxTokens: 50 },
	...{ minimumInterval: 1, temperature: 0, timeout: 9, rateLimitWait: 8 },
};

test('prepareCompletion converts numbers to text in messages from an expression', () => {
	const expected = '{"model":"m","messages":[{"role":"user","content":"5"}]}';
	const row = { role: 'user', content: 5 };
	for (const messages of [{ message: row }, { message: [row] }]) {
		expect(wire(completion({ messages }))).toBe(expected);
	}
});

test('prepareResponse sends input given as JSON unchanged', () => {
	const item = { type: 'function_call_output', call_id: '1', output: 'x' };
	for (const inputJson of [[item], JSON.stringify([item])]) {
		expect(response({ specifyInput: 'json', inputJson }).body.input).toStrictEqual([item]);
	}
});

describe('Chat options', () => {
	test('are returned as they are set', () => {
		expect(completion({ options }).options).toStrictEqual(options);
	});

	test('may be text, as expressions return it', () => {
		const asText = {
			...{ temperature: '0.5', maxTokens: '50', timeout: ' 9 ', rateLimitWait: '0' },
			...{ maxConcurrentRequests: '2', minimumInterval: '0.25' },
			...{ allowIncomplete: 'true', fullResponse: 'false' },
		};
		for (const prepared of [completion, response].map((read) => read({ options: asText }))) {
			expect(prepared.problems).toStrictEqual([]);
			expect(prepared.options).toStrictEqual({
				additionalBodyFields: undefined,
				...{ temperature: 0.5, maxTokens: 50, timeout: 9, rateLimitWait: 0 },
				...{ maxConcurrentRequests: 2, minimumInterval: 0.25 },
				...{ allowIncomplete: true, fullResponse: false },
			});
		}
		expect(wire(completion({ options: asText }))).toContain('"temperature":0.5,"max_tokens":50');
	});

	test.each([[null], ['']])('count as not set when an expression returns %j', (nothing) => {
		const unset = Object.fromEntries(Object.keys(options).map((name) => [name, nothing]));
		for (const read of [completion, response]) {
			const prepared = read({ options: unset });
			expect(prepared.problems).toStrictEqual([]);
			expect(prepared.options).toStrictEqual(read().options);
			expect(prepared.body).toStrictEqual(read().body);
		}
	});

	test('have default values', () => {
		expect(response().options).toMatchObject({
			...{ allowIncomplete: false, fullResponse: false, maxConcurrentRequests: 5 },
			...{ minimumInterval: 0, rateLimitWait: 300, timeout: 300 },
		});
	});
});

describe('prepareCompletion and prepareResponse', () => {
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

	test('send any value or report an issue, and never throw', () => {
		const names = ['model', 'messages', 'messagesJson', 'input', 'inputJson', 'instructions'];
		const others = ['outputFormat', 'jsonSchema', 'schemaName', 'strictSchema', 'options'];
		const modes = {
			specifyMessages: fc.constantFrom('fields', 'json'),
			specifyInput: fc.constantFrom('text', 'json'),
			outputFormat: fc.constantFrom('text', 'json_object', 'json_schema'),
		};
		const any = Object.fromEntries([...names, ...others].map((name) => [name, fc.jsonValue()]));
		const parameters = fc.record({ ...any, ...modes }, { requiredKeys: [] });
		fc.assert(
			fc.property(parameters, (given) => {
				for (const one of [prepareCompletion, prepareResponse]) {
					const { body, problems } = prepare(one, given);
					const reported = problems.map(({ field, message }) => `'${field}' ${message}`).join('; ');
					expect(reported).not.toMatch(/undefined|Invalid input|Invalid option/);
					if (problems.length === 0) expect(typeof body.model).toBe('string');
				}
			}),
			{ numRuns: 150 },
		);
	});
});
