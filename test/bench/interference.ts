import { cpus } from 'node:os';
import { cpuSeconds } from '../n8n/n8nProcess';

/** CPU time spent and CPU time there was, on all cores since the machine started, in seconds. */
function machineSeconds(): { busy: number; all: number } {
	const times = cpus().map(({ times: { idle, ...work } }) => {
		const busy = Object.values(work).reduce((sum, ms) => sum + ms, 0);
		return { busy, all: busy + idle };
	});
	const sum = (pick: 'busy' | 'all') => times.reduce((so, time) => so + time[pick], 0) / 1000;
	return { busy: sum('busy'), all: sum('all') };
}

/**
 * Watches who else uses the machine: with two cores, a measurement beside other work is worth little.
 *
 * @param pids of n8n and of whatever else belongs to the measurement, beside this process
 * @returns what tells the share of all cores that none of them has used since
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
