import { readFileSync } from 'node:fs';

function parentOf(pid: number): number {
	try {
		return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
	} catch {
		return 0;
	}
}

/**
 * Calls back when npm's shell, the parent of the parent process, has ended. If only npm is killed, its
 * shell ends, too, but without a signal to the script, which would run forever.
 */
export function onParentExit(callback: () => void): void {
	if (process.env.npm_lifecycle_event === undefined) return;
	const shell = parentOf(process.ppid);
	const watch = setInterval(() => {
		if (parentOf(process.ppid) === shell) return;
		clearInterval(watch);
		callback();
	}, 1_000);
	watch.unref();
}
