import { emulatorAroundTests } from './around-tests';
import { COMPLETIONS, hello, RESPONSES } from './chat-frames';
import type { TestClient } from './test-client';

const SCHEMA = {
	type: 'object',
	properties: {
		caption: { type: 'string' },
		tags: { type: 'array', items: { type: 'string' } },
		tone: { enum: ['warm', 'dry'] },
		score: { type: 'integer', minimum: 3 },
		optional: { type: 'string' },
	},
	required: ['caption', 'tags', 'tone', 'score'],
};
const FITTING = {
	caption: 'You said: hello there',
	tags: ['You said: hello there'],
	tone: 'warm',
	score: 3,
};

describe('Chat operations', () => {
	let client: TestClient;

	emulatorAroundTests((_emulator, theirs) => (client = theirs));

	it('return JSON that matches a requested schema', async () => {
		const format = { type: 'json_schema', json_schema: { name: 'post', schema: SCHEMA } };
		const chat = await client.chat(COMPLETIONS, { ...hello, response_format: format });
		expect(JSON.parse(chat.json.choices[0].message.content)).toEqual(FITTING);
		const text = { format: { type: 'json_schema', name: 'post', schema: SCHEMA } };
		const response = await client.chat(RESPONSES, { input: 'hello there', text });
		expect(JSON.parse(response.json.output[0].content[0].text)).toEqual(FITTING);
	});
});
