import { readFileSync, writeFileSync } from 'node:fs';
import { n8nProgram } from './install';

/** The kernel counts CPU time in hundredths of a second, whatever the clock of the machine. */
const TICKS_PER_SECOND = 100;

const read = (path: string): string => readFileSync(path, 'utf8');

/** The process id of the n8n that this process has started. */
export function n8nPid(): number {
	const { pid } = process;
	const children = read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean);
	const found = children.filter((child) => read(`/proc/${child}/cmdline`).includes(n8nProgram));
	if (found.length !== 1) throw new Error(`${found.length} n8n processes are running, not one`);
	return Number(found[0]);
}

/** CPU time a process has used so far, all its threads together. */
export function cpuSeconds(pid: number): number {
	const stat = read(`/proc/${pid}/stat`);
	// The name, in parentheses, may hold blanks.
	const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
	const [user, system] = [fields[11], fields[12]].map(Number);
	return ((user ?? NaN) + (system ?? NaN)) / TICKS_PER_SECOND;
}

/** Resident memory of a process in MB: what it has now, and the most it had since `forgetPeak`. */
export function memoryMb(pid: number): { now: number; peak: number } {
	const status = read(`/proc/${pid}/status`);
	const mb = (field: string): number =>
		Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024;
	return { now: mb('VmRSS'), peak: mb('VmHWM') };
}

/** From now on, the peak of a process's memory is that of what comes. */
export const forgetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, '5');
