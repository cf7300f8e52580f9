import type { HostName } from '../n8n/hosts';

export interface Suite {
	/** What the suite tests, for docs/compatibility.md. */
	description: string;
	/** Why it is not run with a version of n8n. */
	notOn?: Partial<Record<HostName, string>>;
	/** Runs with the oldest n8n in every run. Without it, the suite runs there only with `--all`. */
	alwaysOnFloor?: true;
	/** Starts before the others, so that the run does not end with one long suite. */
	isLong?: true;
	/** Runs after the others, and alone. */
	measures?: true;
	/** Lines for docs/compatibility.md from the measurements in `.host/results/<suite>.json`. */
	numbers?: (found: Numbers) => string[];
}

/** The measurements of a suite. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each suite has its own format
export type Numbers = any;

const notOnFloor = (why: string) => ({ floor: why });
const needsChatModels = { floor: 'needs n8n 2.16; the suite limits tests its message' };

export const suites: Record<string, Suite> = {
	agent: {
		description: 'An AI agent validates a post, schedules it once, and receives refusals.',
	},
	agentTool: {
		description:
			'The node as an agent’s tool: its results for the model, and no post is published twice.',
		alwaysOnFloor: true,
	},
	chat: {
		description:
			'Both chat operations: replies, JSON from expressions, the error output and stopped executions.',
	},
	chatModel: {
		description:
			'The chat model with agents and chains: tools, streams, files, refusals and stopped executions.',
		notOn: needsChatModels,
	},
	credential: {
		description: 'The credential: its test, shared token exchanges, and n8n’s HTTP Request node.',
		alwaysOnFloor: true,
	},
	deliveries: {
		description: 'Lost and repeated deliveries, a locked database, and crashes of n8n.',
		alwaysOnFloor: true,
	},
	editor: {
		description:
			'n8n’s editor in a browser: credential, node, trigger and agent, and all examples without issues.',
		isLong: true,
		notOn: notOnFloor('n8n 1 has another editor'),
	},
	examples: {
		description:
			'The workflows of examples/ are imported, set up according to their notes, and run.',
		isLong: true,
	},
	faults: {
		description:
			'Hundreds of posts on a platform with random faults: none is lost or published twice.',
	},
	files: {
		description:
			'Files from every source, in each storage mode: the platform downloads them, and no link is stored.',
		alwaysOnFloor: true,
	},
	limits: {
		description: 'Differences in n8n before 2.16.',
		alwaysOnFloor: true,
		notOn: { newest: 'tests n8n before 2.16' },
	},
	load: {
		description:
			'Thousands of deliveries and posts: each is processed once, and memory does not grow.',
		measures: true,
		notOn: notOnFloor('measures the newest n8n'),
		numbers: ({ deliveries, speed, runs, items, seconds }) => [
			`${deliveries} deliveries, ${speed.perSecond} per second, 99th percentile of the response time: ${speed.p99} ms`,
			`${runs} runs of ${items} posts, the slowest in ${Math.max(...seconds).toFixed(1)} s`,
		],
	},
	onceKey: {
		description: 'Deduplication Key: each article is posted only once, also after a crash.',
	},
	posts: {
		description: 'Create: every field of the request, posts that fail, and stopped executions.',
	},
	queue: {
		description: 'Queue mode with Redis, PostgreSQL and several processes, including crashes.',
		isLong: true,
		notOn: notOnFloor('tests n8n’s processes, which do not depend on its version'),
		numbers: (found) =>
			Object.entries(found as Record<string, Numbers>)
				.filter(([what]) => /^\d+ executions/.test(what))
				.map(
					([what, { posts, exchanges }]) =>
						`${what}: ${posts} posts, token exchanges: ${exchanges}`,
				),
	},
	retries: {
		description: 'Retry on Fail and Retry from the list of executions: no post is published twice.',
		alwaysOnFloor: true,
	},
	sweep: {
		description:
			'Every part of the package is used, then all data and outputs of n8n are searched for secrets.',
		notOn: notOnFloor('each of the other suites searches for secrets, too'),
		numbers: ({ forms, tokens, executions, requests }) => [
			`Searched ${executions} executions and ${requests} requests for the App Secret in ${forms} forms and for ${tokens} tokens`,
		],
	},
	trigger: {
		description:
			'The trigger: its output, every kind of request body, refused deliveries, test events and activation.',
		alwaysOnFloor: true,
	},
	wordpress: {
		description:
			'The examples for WordPress and for feeds, with a real WordPress: REST, RSS 2.0 and Atom.',
	},
};

/** The suites that can run with a version of n8n. */
export const suitesOn = (host: HostName): string[] =>
	Object.keys(suites).filter((name) => suites[name]!.notOn?.[host] === undefined);

/** The suites that run with a version of n8n in every run. The others run before a release. */
export const usualSuitesOn = (host: HostName): string[] =>
	suitesOn(host).filter((name) => host === 'newest' || suites[name]!.alwaysOnFloor);
