import { readFileSync } from 'node:fs';
import { chat, complete, respond } from '../harness/chats';
import { jsonOf } from '../harness/manyPosts';
import { usePlatform } from '../harness/platform';

interface Schema {
	type: string;
	properties?: Record<string, Schema>;
}

const platform = usePlatform();

const folder = `${__dirname}/../../../nodes/SocialOpenPlatform/__schema__/v1.0.0`;

/** Returns every path in a schema, with the type of its value. */
function kindsOf({ type, properties = {} }: Schema, path = ''): string[] {
	const inner = Object.entries(properties).flatMap(([name, one]) =>
		kindsOf(one, `${path}.${name}`),
	);
	return inner.length > 0 ? inner : [`${path}: ${type}`];
}

/** Returns every path in an output, with the type of its value. */
function kindsIn(value: unknown, path = ''): string[] {
	if (Array.isArray(value)) return [`${path}: array`];
	const inner = value && typeof value === 'object' ? Object.entries(value) : [];
	return [
		`${path}: ${typeof value}`,
		...inner.flatMap(([name, one]) => kindsIn(one, `${path}.${name}`)),
	];
}

/** Parameters that make the output contain all of its fields. */
const full = {
	...{ contentType: 'REEL', publishTime: 'at', publishAt: '2099-01-01T09:00' },
	postOptions: {
		...{ title: 'Harbour', videoCoverImageUrl: 'https://cdn.example/a.jpg' },
		altText: 'A harbour',
	},
};
const validate = { ...full, operation: 'validate' };
const json = { outputFormat: 'json_object' };

test.each([
	['chat/complete', [chat(complete, 'Hello', json)]],
	['chat/respond', [chat(respond, 'Hello', json)]],
	['post/create', [full]],
	// Validate outputs problems only if there are any.
	['post/validate', [validate, { ...validate, socialAccountId: '={{ $json.missing }}' }]],
])('The output schema of %s matches its output', async (name, runs) => {
	const schema = JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')) as Schema;
	const found: string[] = [];
	for (const parameters of runs) found.push(...kindsIn(jsonOf(await platform.run(parameters))[0]));
	// The ID of a post is text if it is large and a number otherwise.
	const kinds = kindsOf(schema).filter((kind) => !kind.startsWith('.social_post_id'));
	expect(found).toEqual(expect.arrayContaining(kinds));
});
