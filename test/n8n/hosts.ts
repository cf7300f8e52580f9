import { join } from 'node:path';
import { dependencies as floorHas } from './floor/package.json';
import { dependencies as newestHas } from './package.json';

/** The n8n that the packed package runs in: the newest, and the oldest that it is made for. */

export type HostName = 'newest' | 'floor';

export interface Host {
	name: HostName;
	/** Holds the package.json and the lock that it is installed from. */
	folder: string;
	version: string;
	/** What fetching it costs, in words. */
	cost: string;
	/** Modules that ask the outside something, or that nobody here needs. */
	disabledModules: string[];
	/** What it is started with beside what all are started with. */
	env: Record<string, string>;
	/** The same, where executions are stopped: n8n 1 with the other driver keeps no runs of them. */
	envToStop: Record<string, string>;
	/** Versions of the AI Agent: one whose tools n8n runs as nodes, and one that calls them itself. */
	agents: [number, number];
	/** How many seeds the suite faults plays where nobody says how many. */
	faultSeeds: number;
	/** What tests have to know of it, where the versions of n8n differ. */
	does: Behaviour;
}

/** Ways of n8n that a package has to live with. */
interface Behaviour {
	/** It has the chat model's side of n8n. */
	offerChatModels: boolean;
	/** It stores a delivery's execution before it answers. */
	storeBeforeAnswering: boolean;
	/** A retry of a stopped execution runs the stopped node again; else what came by then is its result. */
	rerunStoppedNodes: boolean;
	/** An AI Agent whose tools are run as nodes hears of a tool's error; else it ends at it. */
	tellAgentsOfErrors: boolean;
	/** It gives an imported trigger its URL by itself; else its editor does. */
	giveWebhookIds: boolean;
	/** Its Data Table node makes tables and finds them by name; else a user does both by hand. */
	makeTables: boolean;
	/** A workflow has to be published before another one can call it. */
	publishCalledWorkflows: boolean;
}

export const newest: Host = {
	name: 'newest',
	folder: __dirname,
	version: newestHas.n8n,
	cost: '1 to 6 minutes and about 2.2 GB',
	disabledModules: [
		...['mcp-registry', 'instance-ai', 'agents', 'chat-hub', 'insights', 'mcp', 'workflow-builder'],
		...['quick-connect', 'n8n-packages', 'workflow-reviews', 'breaking-changes', 'source-control'],
		...['external-secrets', 'dynamic-credentials', 'sso-oidc', 'sso-saml', 'ldap', 'log-streaming'],
		...['provisioning', 'favorites', 'otel', 'token-exchange', 'runtime-credentials'],
	],
	env: {},
	envToStop: {},
	agents: [3.1, 2.2],
	faultSeeds: 5,
	does: {
		offerChatModels: true,
		storeBeforeAnswering: true,
		rerunStoppedNodes: true,
		tellAgentsOfErrors: true,
		giveWebhookIds: true,
		makeTables: true,
		publishCalledWorkflows: true,
	},
};

/** It runs on the Node of the newest: install that first. */
export const floor: Host = {
	name: 'floor',
	folder: join(__dirname, 'floor'),
	version: floorHas.n8n,
	cost: '1 to 3 minutes and about 1.4 GB',
	disabledModules: ['insights', 'external-secrets', 'mcp', 'provisioning', 'breaking-changes'],
	// As its log advises: without, it mixes up the transactions of requests that come at the same time.
	env: { DB_SQLITE_POOL_SIZE: '4' },
	envToStop: { DB_SQLITE_POOL_SIZE: '0' },
	agents: [3, 2.2],
	faultSeeds: 2,
	does: {
		offerChatModels: false,
		storeBeforeAnswering: false,
		rerunStoppedNodes: false,
		tellAgentsOfErrors: false,
		giveWebhookIds: false,
		makeTables: false,
		publishCalledWorkflows: false,
	},
};

export const hosts: Record<HostName, Host> = { newest, floor };

export const modulesOf = ({ folder }: Host): string => join(folder, 'node_modules');

/** What Node is started with. */
export const programOf = (host: Host): string => join(modulesOf(host), 'n8n', 'bin', 'n8n');

/** The one that suites are played on: the newest, unless HOST_N8N in the environment names another. */
export const thisHost: Host = hosts[process.env.HOST_N8N as HostName] ?? newest;
