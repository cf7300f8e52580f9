import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import packageJson from '../../package.json';
import { modulesOf, newest } from '../n8n/hosts';
import { hostNode } from '../n8n/install';
import { unpack } from '../n8n/pack';
import type { Report } from './document';
import { spread, table, times } from './table';

const ROUNDS = 15;

/**
 * Prints the milliseconds that n8n-workflow takes to load, and then the files of the package. n8n itself
 * loads zod.
 */
const PROGRAM = `
	const load = (paths) => {
		const started = performance.now();
		for (const path of paths) require(path);
		return performance.now() - started;
	};
	const host = load(['n8n-workflow']);
	load(['zod/v4']);
	console.log(JSON.stringify([host, load(process.argv.slice(1))]));
`;

/** Measures how long n8n takes to load the nodes and the credential when it starts. */
export async function measureLoading(tarball: string): Promise<Report> {
	const userFolder = mkdtempSync(join(tmpdir(), 'bench-loading-'));
	try {
		const folder = unpack(tarball, userFolder);
		const { nodes, credentials } = packageJson.n8n;
		const paths = [...nodes, ...credentials].map((path) => join(folder, path));
		const env = { ...process.env, NODE_PATH: modulesOf(newest) };
		const load = () =>
			JSON.parse(
				// Another folder may have an n8n-workflow of its own.
				execFileSync(hostNode, ['-e', PROGRAM, ...paths], {
					cwd: userFolder,
					env,
					encoding: 'utf8',
				}),
			) as [number, number];
		load();
		const rounds = Array.from({ length: ROUNDS }, load);
		const [host, own] = [rounds.map(([ms]) => ms), rounds.map(([, ms]) => ms)];
		return {
			tables: [
				table([
					['Loaded in a new process', 'ms (range)', 'vs. n8n-workflow'],
					['`n8n-workflow`', spread(host), times(host, host)],
					['All nodes and the credential, after it and zod', spread(own), times(own, host)],
				]),
			],
			wrong: [],
		};
	} finally {
		rmSync(userFolder, { recursive: true });
	}
}
