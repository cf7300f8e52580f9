import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { hostNode } from '../n8n/install';

/** Locks n8n's database for writing until its input ends. */
const HOLD = `
	const { DatabaseSync } = require('node:sqlite');
	const db = new DatabaseSync(process.argv[1]);
	db.exec('PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE');
	process.stdout.write('held');
	process.stdin.resume().on('end', () => { db.exec('ROLLBACK'); process.exit(0); });`;

/** Locks n8n's database, so that n8n can receive a delivery, but cannot store its execution. */
export class DatabaseLock {
	private constructor(private readonly child: ChildProcess) {}

	static async hold(userFolder: string): Promise<DatabaseLock> {
		const file = join(userFolder, '.n8n', 'database.sqlite');
		const child = spawn(hostNode, ['--no-warnings', '-e', HOLD, file], {
			stdio: ['pipe', 'pipe', 'inherit'],
		});
		await once(child.stdout, 'data');
		return new DatabaseLock(child);
	}

	async release(): Promise<void> {
		const ended = once(this.child, 'exit');
		this.child.stdin?.end();
		await ended;
	}
}
