import { readFileSync } from 'node:fs';
import { chat, chatOperations } from '../harness/chats';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';
import { DeduplicationStore } from '../harness/deduplicationStore';

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
}

const platform = usePlatform();
beforeAll(async () => {
	await DeduplicationStore.install();
});

const schemaOf = (path: string) =>
	JSON.parse(
		readFileSync(
			`${__dirname}/../../../nodes/SocialOpenPlatform/__schema__/v1.0.0/${path}`,
			'utf8',
		),
	) as Schema;

/** Returns every path in a schema, with the type of its value. */
function kindsOf({ type, properties = {} }: Schema, path = ''): string[] {
	const inner = Object.entries(properties).flatMap(([name, one]) =>
		kindsOf(one, `${path}.${name}`),
	);
	return inner.length > 0 ? inner : [`${path}: ${type}`];
}

/** Returns every path in an output, with the type of its value. */
function kindsIn(value: unknown, path = ''): string[] {
	if (typeof value !== 'object' || value === null) return [`${path}: ${typeof value}`];
	if (Array.isArray(value)) return [`${path}: array`];
	const inner = Object.entries(value).flatMap(([name, one]) => kindsIn(one, `${path}.${name}`));
	return [`${path}: object`, ...inner];
}

test.each(chatOperations)(
	'The output schema of $operation matches its output',
	async (chatOperation) => {
		const result = await platform.run(
			chat(chatOperation, 'Hello', { outputFormat: 'json_object' }),
		);
		const kinds = kindsIn(jsonOf(result)[0]);
		for (const kind of kindsOf(schemaOf(`chat/${chatOperation.operation}.json`)))
			expect(kinds).toContain(kind);
	},
);

/** Parameters that make the output contain all of its fields. */
const full = {
	...{ contentType: 'REEL', publishTime: 'at', publishAt: '2099-01-01T09:00' },
	postOptions: {
		...{ title: 'Harbour', videoCoverImageUrl: 'https://cdn.example/a.jpg' },
		altText: 'A harbour',
	},
};

const invalid = { socialAccountId: '={{ $json.missing }}' };

test.each(['create', 'validate'])(
	'The output schema of %s matches its output',
	async (operation) => {
		const run = async (more: object = {}) =>
			kindsIn(jsonOf(await platform.run({ resource: 'post', operation, ...full, ...more }))[0]);
		// Validate outputs problems only if there are any.
		const kinds = [...(await run()), ...(operation === 'validate' ? await run(invalid) : [])];
		for (const kind of kindsOf(schemaOf(`post/${operation}.json`)).filter(hasFixedType)) {
			expect(kinds).toContain(kind);
		}
	},
);

/** Excludes the post ID, which is text if it is large and a number otherwise. */
const hasFixedType = (kind: string) => !kind.startsWith('.social_post_id');
