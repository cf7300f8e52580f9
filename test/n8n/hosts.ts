import { join } from 'node:path';
import { dependencies as floorHas } from './floor/package.json';
import { dependencies as newestHas } from './package.json';

/** The tests run with the newest n8n, and with the oldest one that the package supports. */
export type HostName = 'newest' | 'floor';

export interface Host {
	name: HostName;
	/** Contains the package.json and the package-lock.json of this n8n. */
	folder: string;
	version: string;
	/** The time and disk space that installing takes. */
	cost: string;
	/** Modules that send requests to the internet, or that no test needs. */
	disabledModules: string[];
	/** Additional environment variables. */
	env: Record<string, string>;
	/** Environment variables for tests that stop executions. With a connection pool, n8n 1 does not store the data of stopped executions. */
	envToStop: Record<string, string>;
	/** Versions of the AI Agent. n8n runs the tools of the first as nodes; the second calls them itself. */
	agents: [number, number];
	behaviour: Behaviour;
}

/** Differences between the versions of n8n that the tests depend on. */
interface Behaviour {
	/** A node can ask a person before an AI Agent calls a tool. n8n has this since 2.6. */
	hasHumanReview: boolean;
	/** n8n stores the execution of a delivery before it responds. */
	storesBeforeResponding: boolean;
	/** A retry of a stopped execution runs the stopped node again. Otherwise, its output so far is its result. */
	rerunsStoppedNodes: boolean;
	/** An AI Agent receives the error of a tool that n8n runs as a node. Otherwise, the execution fails. */
	passesErrorsToAgents: boolean;
	/** n8n assigns a webhook ID to an imported trigger. Otherwise, only the editor does. */
	assignsWebhookIds: boolean;
}

export const newest: Host = {
	name: 'newest',
	folder: __dirname,
	version: newestHas.n8n,
	cost: 'about a minute and 2.5 GB',
	disabledModules: [
		...['mcp-registry', 'instance-ai', 'agents', 'chat-hub', 'insights', 'mcp', 'workflow-builder'],
		...['quick-connect', 'n8n-packages', 'workflow-reviews', 'breaking-changes', 'source-control'],
		...['external-secrets', 'dynamic-credentials', 'sso-oidc', 'sso-saml', 'ldap', 'log-streaming'],
		...['provisioning', 'favorites', 'otel', 'token-exchange', 'runtime-credentials'],
	],
	env: {},
	envToStop: {},
	agents: [3.1, 2.2],
	behaviour: {
		hasHumanReview: true,
		storesBeforeResponding: true,
		rerunsStoppedNodes: true,
		passesErrorsToAgents: true,
		assignsWebhookIds: true,
	},
};

/** The oldest supported n8n. It runs with the Node of the newest n8n, which must be installed first. */
export const floor: Host = {
	name: 'floor',
	folder: join(__dirname, 'floor'),
	version: floorHas.n8n,
	cost: 'half a minute and up to 1.5 GB',
	disabledModules: ['insights', 'external-secrets', 'mcp', 'provisioning', 'breaking-changes'],
	// n8n's log recommends a connection pool. Without it, transactions of concurrent requests are mixed up.
	env: { DB_SQLITE_POOL_SIZE: '4' },
	envToStop: { DB_SQLITE_POOL_SIZE: '0' },
	agents: [3, 2.2],
	behaviour: {
		hasHumanReview: false,
		storesBeforeResponding: false,
		rerunsStoppedNodes: false,
		passesErrorsToAgents: false,
		assignsWebhookIds: false,
	},
};

export const hosts: Record<HostName, Host> = { newest, floor };

export const modulesOf = ({ folder }: Host): string => join(folder, 'node_modules');

/** The script that starts n8n. */
export const programOf = (host: Host): string => join(modulesOf(host), 'n8n', 'bin', 'n8n');

/** The n8n that the suites run with: the newest, unless the environment variable HOST_N8N names another one. */
export const thisHost: Host = hosts[process.env.HOST_N8N as HostName] ?? newest;
