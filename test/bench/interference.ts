import { cpus } from 'node:os';
import { cpuSeconds } from '../n8n/n8nProcess';

/** The used and the total CPU time of all cores since the machine started, in seconds. */
function machineSeconds(): { busy: number; all: number } {
	const times = cpus().map(({ times: { idle, ...work } }) => {
		const busy = Object.values(work).reduce((sum, ms) => sum + ms, 0);
		return { busy, all: busy + idle };
	});
	const sum = (pick: 'busy' | 'all') => times.reduce((total, time) => total + time[pick], 0) / 1000;
	return { busy: sum('busy'), all: sum('all') };
}

/**
 * Measures the CPU time of other programs, which would distort the results.
 *
 * @param pids the processes of the measurement besides this one
 * @returns a function that returns the share of the CPU time that other programs have used since
 */
export function watchOthers(...pids: number[]): () => number {
	const own = [...pids, process.pid];
	const measured = () => own.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
	const [before, measuredBefore] = [machineSeconds(), measured()];
	return () => {
		const now = machineSeconds();
		const others = now.busy - before.busy - (measured() - measuredBefore);
		return Math.max(0, others / (now.all - before.all));
	};
}
