import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../n8n/pack';

export const folder = join(root, '.demo');
export const userFolder = join(folder, 'n8n');

const file = join(folder, 'state.json');
const lock = join(folder, 'running');

/** The settings of the demo, which are kept in .demo/ together with n8n's data. */
export interface SavedState {
	email: string;
	password: string;
	appSecret: string;
	encryptionKey: string;
	n8nPort: number;
	emulatorPort: number;
	credentialId?: string;
	/** The workflow that posts articles. */
	workflowId?: string;
	/** The workflow that posts photos from a form. */
	photoWorkflowId?: string;
	/** The workflow that reports failed posts. */
	statusWorkflowId?: string;
}

/** Loads the saved state, or creates a new one with new secrets. */
export function loadState(): SavedState {
	if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as SavedState;
	// n8n cannot read its data without the encryption key.
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

export function saveState(state: SavedState): void {
	writeFileSync(file, `${JSON.stringify(state, null, '\t')}\n`, { mode: 0o600 });
}

/** Refuses to start a second demo, because both would write to the same database. */
export function lockFolder(): void {
	mkdirSync(folder, { recursive: true });
	const other = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
	if (other > 0 && isRunning(other)) {
		throw new Error(`The demo is already running as process ${other}. Stop it first (Ctrl-C).`);
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
