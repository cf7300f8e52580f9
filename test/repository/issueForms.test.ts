import type { INodeProperties } from 'n8n-workflow';
import { SocialOpenPlatform } from '../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { read } from './documents';
import { shownFor } from './parameterPaths';
import { repositoryFiles } from './repositoryFiles';

const { properties } = new SocialOpenPlatform().description;

/** Returns the names and values of a list in the panel. */
const choicesOf = (name: string, declared: INodeProperties[]) =>
	(declared.find((property) => property.name === name)?.options ?? []) as Array<{
		name: string;
		value: string;
	}>;

const forms = repositoryFiles('.github/ISSUE_TEMPLATE').filter(
	(path) => !/config\.yml$/.test(path),
);

test('The bug form lists every operation of the panel', () => {
	const operations = choicesOf('resource', properties).flatMap((resource) =>
		choicesOf('operation', shownFor(resource.value, properties)).map(
			({ name }) => `${resource.name}: ${name}`,
		),
	);
	const listed = [...read('.github/ISSUE_TEMPLATE/bug.yml').matchAll(/^ +- '(\w+: .+)'$/gm)].map(
		([, operation]) => operation,
	);
	expect(operations.length).toBeGreaterThan(4);
	expect(listed.sort()).toEqual(operations.sort());
});

test.each(forms)('%s does not ask for secrets', (path) => {
	const form = read(path);
	const pastes = /id: (?:error|validated|real|assumed)/.test(form);
	if (pastes) expect(form).toMatch(/no App Secret and no access token[^\n]*\n +required: true/);
	expect(form).toMatch(/^name: .+\ndescription: .+\n/);
});
