/** What was to be reached, and what has been. */
export interface Goal {
	title: string;
	/** As it is to be read. */
	reached: string;
	wanted: string;
	isMet: boolean;
	/** What somebody else takes who does less: nobody can leave that out. */
	beside?: string;
}

/** One goal as a line of the report. */
export function verdict({ title, reached, wanted, isMet, beside }: Goal): string {
	const other = beside === undefined ? '' : `; ${beside}`;
	return `${isMet ? 'PASS' : 'MISS'}: ${title}: ${reached} (goal: ${wanted}${other})`;
}
