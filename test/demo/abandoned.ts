import { readFileSync } from 'node:fs';

/**
 * npm starts a script through a shell. Where npm alone is told to end (by `kill`, or by a CI that
 * gives up), the shell ends too, but tells nobody: the script would run on for ever.
 */

function parentOf(pid: number): number {
	try {
		return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
	} catch {
		return 0;
	}
}

/** Calls back once npm's shell, two steps up, is gone; never when npm has not started this. */
export function whenAbandoned(callback: () => void): void {
	if (process.env.npm_lifecycle_event === undefined) return;
	const shell = parentOf(process.ppid);
	const watch = setInterval(() => {
		if (parentOf(process.ppid) === shell) return;
		clearInterval(watch);
		callback();
	}, 1_000);
	watch.unref();
}
