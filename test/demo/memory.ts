import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../n8n/pack';

/** What the demo keeps in .demo/ between two starts: n8n's data, its login, and the ports. */

export const folder = join(root, '.demo');
export const userFolder = join(folder, 'n8n');

const file = join(folder, 'memory.json');
const lock = join(folder, 'running');

export interface Memory {
	email: string;
	password: string;
	appSecret: string;
	encryptionKey: string;
	n8nPort: number;
	emulatorPort: number;
	credentialId?: string;
	/** Makes posts of articles. */
	workflowId?: string;
	/** Tells what became of posts. */
	statusWorkflowId?: string;
}

/** What an earlier start has left, or a new beginning; secrets are made here and stay here. */
export function remember(): Memory {
	if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Memory;
	// Data without its encryption key cannot be read.
	rmSync(userFolder, { recursive: true, force: true });
	const secret = () => randomBytes(18).toString('base64url');
	return {
		email: 'demo@example.com',
		password: `Demo1-${secret()}`,
		appSecret: secret(),
		encryptionKey: secret(),
		n8nPort: 5678,
		emulatorPort: 4010,
	};
}

export function keep(memory: Memory): void {
	writeFileSync(file, `${JSON.stringify(memory, null, '\t')}\n`, { mode: 0o600 });
}

/** Two demos would write to the same database; the second one is told so. */
export function lockFolder(): void {
	mkdirSync(folder, { recursive: true });
	const other = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
	if (other > 0 && isRunning(other)) {
		throw new Error(`The demo is running already, as process ${other}. Stop it first (Ctrl-C).`);
	}
	writeFileSync(lock, String(process.pid));
	process.on('exit', () => rmSync(lock, { force: true }));
}

function isRunning(pid: number): boolean {
	try {
		return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('demo');
	} catch {
		return false;
	}
}
