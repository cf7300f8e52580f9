import type { HostName } from '../n8n/hosts';

/** The suites: what each shows, where it cannot be played, and which of its numbers are worth keeping. */

export interface Suite {
	/** A sentence for readers of docs/compatibility.md. */
	shows: string;
	/** Why it is not played on one of the n8n. */
	notOn?: Partial<Record<HostName, string>>;
	/** It runs after the others: beside those of the same kind, or alone because it measures. */
	apart?: 'browser' | 'measures';
	/** What of `.host/results/<suite>.json`, which the suite writes, is worth a line. */
	numbers?: (found: Numbers) => string[];
}

/** What a suite has measured. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each suite writes what it likes
export type Numbers = any;

const notOnFloor = (why: string) => ({ floor: why });
const needsChatModels = { floor: 'needs n8n 2.16; the suite limits shows that it says so' };

export const suites: Record<string, Suite> = {
	agent: {
		shows:
			'An AI agent checks a post, publishes it once for the right time, and hears of refusals.',
	},
	agentTool: {
		shows: 'The node as an agent’s tool: what the model is told, and that it posts nothing twice.',
	},
	chat: { shows: 'Both chat operations: text, JSON, tools, and every way in which they can fail.' },
	chatModel: {
		shows: 'The chat model under agents and chains: tools, streams, errors, and no secret kept.',
		notOn: needsChatModels,
	},
	credential: {
		shows: 'The credential: its test, one token exchange for many, and n8n’s HTTP Request node.',
	},
	deliveries: {
		shows: 'Forged, lost and repeated deliveries, a locked database, and n8n killed in between.',
	},
	editor: {
		shows: 'n8n’s editor in a browser: credential, node, trigger and agent as a user sets them up.',
		apart: 'browser',
		notOn: notOnFloor('the editor of n8n 1 is another one'),
	},
	examples: { shows: 'The workflows of examples/, imported, set up as their notes say, and run.' },
	faults: {
		shows:
			'Hundreds of posts on a platform that fails at random: none lost, none twice; fewer on n8n 1.',
	},
	forgetKeys: { shows: 'Clear Deduplication Keys.' },
	limits: {
		shows: 'What is special to an n8n before 2.16.',
		notOn: { newest: 'is about n8n before 2.16' },
	},
	load: {
		shows: 'Thousands of deliveries and posts: each counts once, and memory stays flat.',
		apart: 'measures',
		notOn: notOnFloor('it measures for minutes'),
		numbers: ({ deliveries, speed, runs, items, seconds }) => [
			`${deliveries} deliveries, ${speed.perSecond} a second, 99 of 100 answered within ${speed.p99} ms`,
			`${runs} runs of ${items} posts, the slowest in ${Math.max(...seconds).toFixed(1)} s`,
		],
	},
	onceKey: { shows: 'Deduplication Key: an article is posted once ever.' },
	pace: { shows: 'Several at a time, rate limits, and executions that are stopped.' },
	posts: { shows: 'Create and Validate Post: every field on the wire, and errors to act on.' },
	queue: {
		shows: 'Queue mode with Redis, PostgreSQL and several processes, which are killed, too.',
		notOn: notOnFloor('it is about n8n’s processes, not about its version'),
		numbers: (found) =>
			Object.entries(found as Record<string, Numbers>)
				.filter(([what]) => /^\d+ executions/.test(what))
				.map(
					([what, { posts, exchanges }]) =>
						`${what}: ${posts} posts, token exchanges: ${exchanges}`,
				),
	},
	retries: {
		shows: 'Retry on Fail and Retry from the list of executions: nothing goes out twice.',
	},
	sweep: {
		shows: 'Everything once, then a search for secrets in all that n8n keeps and says.',
		notOn: notOnFloor('the other suites end with a search of their own'),
		numbers: ({ forms, tokens, executions, requests }) => [
			`the App Secret in ${forms} forms and ${tokens} tokens, looked for in ${executions} executions and ${requests} requests`,
		],
	},
	templates: {
		shows:
			'The workflows of examples/ in a browser: imported, filled in and run, and nothing is red.',
		apart: 'browser',
		notOn: notOnFloor('the editor of n8n 1 is another one'),
	},
	trigger: { shows: 'The trigger: every signature recipe, what is refused and why, test events.' },
};

/** The suites that can be played on one n8n. */
export const suitesOn = (host: HostName): string[] =>
	Object.keys(suites).filter((name) => suites[name]!.notOn?.[host] === undefined);
