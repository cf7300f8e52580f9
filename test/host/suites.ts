import type { HostName } from '../n8n/hosts';

export interface Suite {
	/** What the suite tests, for docs/development/test-results.md. */
	description: string;
	/** Why it is not run with a version of n8n. */
	notOn?: Partial<Record<HostName, string>>;
	/** Runs with the oldest n8n in every run. Without it, the suite runs there only with `--all`. */
	alwaysOnFloor?: true;
	/** Starts before the others, so that the run does not end with one long suite. */
	isLong?: true;
}

const notOnFloor = (why: string) => ({ floor: why });

export const suites: Record<string, Suite> = {
	editor: {
		description:
			'n8n’s editor in a browser: credential, node, trigger and agent, and all examples without issues. n8n loads the package, and has every node of the examples.',
		isLong: true,
		notOn: notOnFloor('n8n 1 has another editor'),
	},
	examples: {
		description:
			'The examples for Strapi, Ghost, WordPress and feeds are run, the last two with a real WordPress: REST, RSS 2.0 and Atom. The oldest n8n loads the package, and has every node of the examples but one.',
		isLong: true,
	},
	files: {
		description:
			'Files from every source, in each storage mode: the platform downloads them, and no link is stored.',
	},
	nodes: {
		description:
			'The credential: its test, shared token exchanges, and n8n’s HTTP Request node. The node as a tool of AI agents and of an MCP server: what the model reads, and no post is published twice. The chat model with agents: tools, streams, files and refusals. Stopped executions of it and of a chat operation. Before n8n 2.16, the message of the chat model. The trigger: its output, requests as n8n reads them, test events, and a locked database. After a crash of n8n, no key is lost. In the newest n8n, all data, logs and outputs are searched for secrets.',
		alwaysOnFloor: true,
		isLong: true,
	},
	posts: {
		description:
			'Create: a whole request, the error output, stopped executions, retries and deduplication keys. With random faults, no post is lost or published twice.',
	},
	queue: {
		description: 'Queue mode with Redis, PostgreSQL and several processes, including crashes.',
		isLong: true,
		notOn: notOnFloor('tests n8n’s processes, which do not depend on its version'),
	},
};

/** The suites that can run with a version of n8n. */
export const suitesOn = (host: HostName): string[] =>
	Object.keys(suites).filter((name) => suites[name]!.notOn?.[host] === undefined);

/** The suites that run with a version of n8n in every run. The others run before a release. */
export const usualSuitesOn = (host: HostName): string[] =>
	suitesOn(host).filter((name) => host === 'newest' || suites[name]!.alwaysOnFloor);
