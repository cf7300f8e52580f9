/** A goal of a benchmark, and its result. */
export interface Goal {
	title: string;
	reached: string;
	wanted: string;
	isMet: boolean;
	/** The result of a contender that does less, for comparison. */
	comparison?: string;
}

/** A line of the report about a goal. */
export function verdict({ title, reached, wanted, isMet, comparison }: Goal): string {
	const other = comparison === undefined ? '' : `; ${comparison}`;
	return `${isMet ? 'PASS' : 'MISS'}: ${title}: ${reached} (goal: ${wanted}${other})`;
}
