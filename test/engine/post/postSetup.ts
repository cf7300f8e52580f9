import type { IDataObject } from 'n8n-workflow';
import type { EmulatorOptions, FaultKind, FaultSpec } from '../../emulator';
import { fromAI, runAgent, type AgentRun } from '../harness/agentRun';
import { usePlatform, type Platform } from '../harness/platform';

/** The posts of a platform, and what tests do with them. */
export const postsOf = (platform: Platform) => ({
	platform,
	/** Returns the requests that create posts. */
	created: () => platform.received('createPost'),
	/** Returns the posts that the platform has accepted. */
	posts: () => platform.emulator.posts,
	/** Lets the next of these requests fail. */
	fault: (kind: FaultKind, more: Partial<FaultSpec> = {}) =>
		platform.emulator.fault({ kind, operation: 'createPost', ...more }),
	/**
	 * Lets an agent call Create with these texts or arguments, turn by turn, and returns what its model
	 * receives.
	 */
	callTool: async (
		agent: string | undefined,
		turns: Array<Array<string | IDataObject>>,
		parameters: IDataObject = {},
		more: Partial<AgentRun> = {},
	) =>
		await runAgent({
			...{ platform, agent },
			turns: turns.map((calls) =>
				calls.map((call) => (typeof call === 'string' ? { text: call } : call)),
			),
			parameters: {
				...{ socialAccountId: 'acc_1', text: fromAI('text') },
				...{ mediaUrls: ['https://cdn.example/a.jpg'], ...parameters },
			},
			...more,
		}),
});

/** Starts a platform for each test of the file. */
export const usePosts = (options?: EmulatorOptions) => postsOf(usePlatform(options));
