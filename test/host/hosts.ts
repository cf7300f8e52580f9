import { join } from 'node:path';
import { dependencies as floorHas } from './floor/package.json';
import { dependencies as newestHas } from './package.json';

/** The n8n that the packed package runs in: the newest, and the oldest that it is made for. */

export interface Host {
	/** Holds the package.json and the lock that it is installed from. */
	folder: string;
	version: string;
	/** What fetching it costs, in words. */
	cost: string;
	/** Modules that ask the outside something, or that nobody here needs. */
	disabledModules: string[];
}

export const newest: Host = {
	folder: __dirname,
	version: newestHas.n8n,
	cost: '1 to 6 minutes and about 2.2 GB',
	disabledModules: [
		...['mcp-registry', 'instance-ai', 'agents', 'chat-hub', 'insights', 'mcp', 'workflow-builder'],
		...['quick-connect', 'n8n-packages', 'workflow-reviews', 'breaking-changes', 'source-control'],
		...['external-secrets', 'dynamic-credentials', 'sso-oidc', 'sso-saml', 'ldap', 'log-streaming'],
		...['provisioning', 'favorites', 'otel', 'token-exchange', 'runtime-credentials'],
	],
};

/** It runs on the Node of the newest: install that first. */
export const floor: Host = {
	folder: join(__dirname, 'floor'),
	version: floorHas.n8n,
	cost: '1 to 3 minutes and about 1.4 GB',
	disabledModules: ['insights', 'external-secrets', 'mcp', 'provisioning', 'breaking-changes'],
};

export const modulesOf = ({ folder }: Host): string => join(folder, 'node_modules');

/** What Node is started with. */
export const programOf = (host: Host): string => join(modulesOf(host), 'n8n', 'bin', 'n8n');
