import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageName, root } from './pack';
import type { Credential, Workflow } from './rest';
import { reference } from './workflows';

/** A workflow of examples/ as a user has it after importing it and choosing a credential. */
export function example(name: string, credential: Credential): Workflow {
	const file = join(root, 'examples', `${name}.json`);
	const workflow = JSON.parse(readFileSync(file, 'utf8')) as Workflow;
	for (const node of workflow.nodes) {
		if (node.type.startsWith(`${packageName}.`)) node.credentials = reference(credential);
	}
	return workflow;
}
