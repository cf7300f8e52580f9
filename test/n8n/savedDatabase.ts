import { spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { thisHost } from './hosts';
import { hostNode } from './install';
import { root } from './pack';

/** The owner of every n8n of the tests. */
export const OWNER = { email: 'owner@example.com', password: 'Aa1-of-the-host-tests' };

const databaseIn = (userFolder: string) => join(userFolder, '.n8n', 'database.sqlite');

/** A database with all migrations of an n8n, and with the owner. */
function savedPath(): string {
	const lock = readFileSync(join(thisHost.folder, 'package-lock.json'));
	const digest = createHash('sha256').update(lock).update(JSON.stringify(OWNER)).digest('hex');
	return join(root, '.host', 'databases', `${digest}.sqlite`);
}

/** Copies the database that an earlier start has saved to a new user folder, if there is one. */
export function useSavedDatabase(userFolder: string): boolean {
	if (!existsSync(savedPath())) return false;
	mkdirSync(join(userFolder, '.n8n'), { recursive: true });
	copyFileSync(savedPath(), databaseIn(userFolder));
	return true;
}

/** Saves the database of a running n8n, which other processes can read if it has a write-ahead log. */
export function saveDatabase(userFolder: string): void {
	const database = databaseIn(userFolder);
	if (!existsSync(`${database}-wal`)) return;
	mkdirSync(join(savedPath(), '..'), { recursive: true });
	const copy = `${savedPath()}-${randomUUID()}`;
	const copying = `
		const { DatabaseSync } = require('node:sqlite');
		new DatabaseSync(process.argv[1]).exec("VACUUM INTO '" + process.argv[2] + "'")`;
	const { status, stderr } = spawnSync(hostNode, ['-e', copying, database, copy]);
	if (status !== 0) throw new Error(`Cannot save ${database}: ${String(stderr)}`);
	// Another suite may save a database at the same time.
	renameSync(copy, savedPath());
}
