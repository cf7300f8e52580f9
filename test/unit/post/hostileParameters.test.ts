import fc from 'fast-check';
import { createCompletion } from '../../../nodes/SocialOpenPlatform/chat/complete.operation';
import { prepareChat, type ChatOperation } from '../../../nodes/SocialOpenPlatform/chat/request';
import { createResponse } from '../../../nodes/SocialOpenPlatform/chat/respond.operation';
import { warningsOf } from '../../../nodes/SocialOpenPlatform/post/media/check';
import { preparePost } from '../../../nodes/SocialOpenPlatform/post/post';
import { readPublishTime } from '../../../nodes/SocialOpenPlatform/post/publishTime';
import { type ParameterReader } from '../../../nodes/SocialOpenPlatform/items/parameters';
import { chatDefaults } from '../chat/chatDefaults';
import { anything, expectUnpolluted, withinTimeLimit, texts, values } from '../hostileValues';

type Parameters = Record<string, unknown>;

const reader =
	(given: Parameters): ParameterReader =>
	(name, _, fallback) =>
		Object.hasOwn(given, name) ? given[name] : fallback;

const context = {
	now: Date.parse('2026-11-21T12:00:00Z'),
	timezone: 'Europe/Berlin',
	findAccount: (id: string) => ({ id }),
	raw: {},
};

function chatOf(operation: ChatOperation, given: Parameters) {
	const { body, issues } = prepareChat(
		operation,
		reader({ model: 'm', ...chatDefaults, ...given }),
		0,
	);
	return { body, problems: issues };
}

/** Reads parameters as each operation does. */
const operations: Record<string, (given: Parameters) => { body: object; problems: unknown[] }> = {
	post: (given) => {
		const bare = { socialAccountId: 'acc_1', contentType: 'POST', publishTime: 'now' };
		const post = preparePost({ ...bare, ...given }, context);
		warningsOf(post);
		return { body: post.body, problems: post.issues };
	},
	completion: (given) => chatOf(createCompletion, given),
	response: (given) => chatOf(createResponse, given),
};

const fields: Record<string, string[]> = {
	post: [
		...['socialAccountId', 'contentType', 'text', 'mediaUrls', 'publishTime', 'publishAt'],
		'postOptions',
	],
	completion: [
		...['model', 'specifyMessages', 'messages', 'messagesJson', 'outputFormat', 'schemaName'],
		...['jsonSchema', 'strictSchema', 'options'],
	],
	response: [
		'model',
		'specifyInput',
		'input',
		'inputJson',
		'instructions',
		'outputFormat',
		'options',
	],
};

const inner: Record<string, Record<string, string[]>> = {
	post: {
		postOptions: [
			...['title', 'videoCoverImageUrl', 'additionalBodyFields', 'trialReel', 'locationId'],
			...['altText', 'shareToFeed', 'autoFitImage', 'videoCoverOffset', 'collaborators'],
			'autoCropImage',
		],
	},
	completion: { options: ['temperature', 'maxTokens', 'timeout', 'additionalBodyFields'] },
	response: { options: ['temperature', 'maxTokens', 'timeout', 'additionalBodyFields'] },
};

/** The values with which a field is read, of the fields that decide this. */
const choiceFor = (field: string): Parameters => ({
	...{ publishTime: 'at', outputFormat: 'json_schema' },
	...(!['messages', 'input'].includes(field) && { specifyMessages: 'json', specifyInput: 'json' }),
});

function prepare(operation: string, given: Parameters): void {
	const { body, problems } = operations[operation]!(given);
	expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
	for (const problem of problems) JSON.stringify(problem);
}

describe.each(Object.keys(operations))('Hostile parameters of a %s', (operation) => {
	test.each(fields[operation]!)('cause no exception with any value in %s', (field) => {
		const choice = choiceFor(field);
		for (const value of [...texts, ...values]) {
			withinTimeLimit(() => prepare(operation, { ...choice, [field]: value }));
			if (!['mediaUrls', 'socialAccountId'].includes(field)) continue;
			withinTimeLimit(() => prepare(operation, { [field]: [value, { url: value }] }));
		}
	});

	const innerFields = Object.entries(inner[operation]!).flatMap(([field, names]) =>
		names.map((name) => [name, field]),
	);
	test.each(innerFields)('cause no exception with any value in %s of %s', (name, field) => {
		for (const value of [...texts, ...values]) {
			withinTimeLimit(() => prepare(operation, { [field]: { [name]: value } }));
		}
	});

	test('cause no exception with any values in all fields', () => {
		const all = [...fields[operation]!, ...innerFields.map(([, field]) => field!)];
		fc.assert(
			fc.property(fc.dictionary(fc.constantFrom(...all), anything), (given) => {
				withinTimeLimit(() => prepare(operation, given));
			}),
			{ numRuns: 100 },
		);
	});
});

describe('Property names such as __proto__', () => {
	const traps = [
		'{"__proto__":{"polluted":1}}',
		'{"constructor":{"prototype":{"polluted":1}}}',
		'{"a":{"__proto__":{"polluted":1}},"prototype":{"polluted":1}}',
	];

	test.each(traps)('change only the request when they are in Other Fields (JSON): %s', (trap) => {
		for (const json of [trap, JSON.parse(trap) as unknown]) {
			const others = { ...Object(json), exclusive: json };
			const { body } = operations.post!({ postOptions: { additionalBodyFields: others } });
			expect((body as Parameters).polluted).toBeUndefined();
			operations.completion!({ options: { additionalBodyFields: json } });
			expectUnpolluted();
		}
	});
});

test('readPublishTime quickly reads or refuses any text', () => {
	for (const text of texts) {
		for (const whole of [text, `2026-01-01T${text}`, `01 Jan 2026 ${text}`, `${text}Z`]) {
			for (const timezone of ['UTC', 'Europe/Berlin', '__proto__']) {
				withinTimeLimit(() => readPublishTime(whole, timezone));
			}
		}
	}
});
