import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import triggerSchema from '../../nodes/SocialOpenPlatform/__schema__/v2.0.0.json';
import { example } from '../n8n/examples';
import { thisHost } from '../n8n/hosts';
import type { N8n } from '../n8n/n8n';
import { root } from '../n8n/pack';
import type { Rest } from '../n8n/rest';
import { CREDENTIAL_TYPE, NODE_TYPE, TRIGGER_TYPE } from '../n8n/workflows';

/** The example that n8n can only run if a person can review the call of a tool. */
const WITH_REVIEW = 'ai-agent-with-approval';

/** Tests what n8n tells its editor about nodes. */
export function testPackage(setup: () => { rest: Rest; n8n: N8n }): void {
	it('The packed package is loaded under the names in saved workflows, with the schemas of its outputs', async () => {
		const named = async (path: string) =>
			(await setup().rest.call<Array<{ name: string }>>('GET', path)).map(({ name }) => name);
		const ours = (names: string[]) => names.filter((name) => /socialOpenPlatform/i.test(name));
		expect(ours(await named('/types/nodes.json')).sort()).toEqual([
			NODE_TYPE,
			`${NODE_TYPE}ChatModel`,
			`${NODE_TYPE}Tool`,
			TRIGGER_TYPE,
		]);
		expect(ours(await named('/types/credentials.json'))).toEqual([CREDENTIAL_TYPE]);
		expect(setup().n8n.log()).not.toMatch(/social-open-platform.*(fail|error|not)/i);
		const schemas = {
			[`${NODE_TYPE}/1.0.0/post/create`]: 'request_id',
			[`${NODE_TYPE}/1.0.0/post/validate`]: 'summary',
			[`${TRIGGER_TYPE}/2.0.0`]: Object.keys(triggerSchema.properties)[0],
		};
		for (const [path, first] of Object.entries(schemas)) {
			const schema = await setup().rest.call<{ properties: object }>(
				'GET',
				`/schemas/${path}.json`,
			);
			expect(Object.keys(schema.properties)[0]).toBe(first);
		}
	});

	it('The examples use only nodes and versions of n8n', async () => {
		type Offered = { name: string; version: number | number[] };
		const offered = await setup().rest.call<Offered[]>('GET', '/types/nodes.json');
		const known = offered.flatMap(({ name: type, version }) =>
			[version].flat().map((each) => `${type} ${each}`),
		);
		const files = readdirSync(join(root, 'examples')).map((file) => basename(file, '.json'));
		const used = files
			.filter((name) => thisHost.behaviour.hasHumanReview || name !== WITH_REVIEW)
			.flatMap((name) => example(name).nodes)
			.map(({ type, typeVersion }) => `${type} ${typeVersion}`);
		expect(used.filter((each) => !known.includes(each))).toEqual([]);
	});
}
