/** What was to be reached, and what has been. */
export interface Goal {
	title: string;
	/** As it is to be read. */
	reached: string;
	wanted: string;
	isMet: boolean;
	/** What n8n takes by itself, where it takes a part: nobody can leave that out. */
	host?: string;
}

/** One goal as a line of the report. */
export function verdict({ title, reached, wanted, isMet, host }: Goal): string {
	const beside = host === undefined ? '' : `; n8n's own part alone: ${host}`;
	return `${isMet ? 'PASS' : 'MISS'}: ${title}: ${reached} (goal: ${wanted}${beside})`;
}
