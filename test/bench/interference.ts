import { cpus } from 'node:os';
import { cpuSeconds } from './n8n-process';

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
 * @param pid of n8n
 * @returns what tells the share of all cores that neither n8n nor this process has used since
 */
export function watchOthers(pid: number): () => number {
	const measured = () => cpuSeconds(pid) + cpuSeconds(process.pid);
	const [before, own] = [machineSeconds(), measured()];
	return () => {
		const now = machineSeconds();
		const others = now.busy - before.busy - (measured() - own);
		return Math.max(0, others / (now.all - before.all));
	};
}
