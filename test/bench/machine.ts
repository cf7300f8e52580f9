import { spawnSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { dependencies } from '../n8n/package.json';
import { hostNode } from '../n8n/install';

/** Describes the machine and the versions for a report. */
export function machine(): string {
	const processors = cpus();
	const memory = Math.round(totalmem() / 2 ** 30);
	const node = spawnSync(hostNode, ['--version'], { encoding: 'utf8' }).stdout.trim();
	return [
		`n8n ${dependencies.n8n} on Node ${node} with SQLite`,
		`sender on Node ${process.version}`,
		`${processors.length} cores (${processors[0]?.model ?? 'unknown'}), ${memory} GB`,
	].join('; ');
}
