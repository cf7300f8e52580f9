import { readFileSync, writeFileSync } from 'node:fs';
import { programOf, thisHost } from './hosts';

/** Linux reports CPU time in hundredths of a second on every machine. */
const TICKS_PER_SECOND = 100;

const read = (path: string): string => readFileSync(path, 'utf8');

/** The ID of the n8n process that this process has started. */
export function n8nPid(): number {
	const program = programOf(thisHost);
	const { pid } = process;
	const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
	const found = children.filter((child) => read(`/proc/${child}/cmdline`).includes(program));
	if (found.length !== 1) throw new Error(`Expected one n8n process, found ${found.length}`);
	return Number(found[0]);
}

/** The CPU time of a process with all its threads. */
export function cpuSeconds(pid: number): number {
	const stat = read(`/proc/${pid}/stat`);
	// The process name in parentheses may contain spaces.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const [user, system] = [fields[11], fields[12]].map(Number);
	return ((user ?? NaN) + (system ?? NaN)) / TICKS_PER_SECOND;
}

/** The resident memory of a process in MB, and its peak since the last `resetPeak`. */
export function memoryMb(pid: number): { now: number; peak: number } {
	const status = read(`/proc/${pid}/status`);
	const mb = (field: string): number =>
		Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
	return { now: mb('VmRSS'), peak: mb('VmHWM') };
}

/** Makes the kernel measure the peak memory of a process again from now on. */
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
