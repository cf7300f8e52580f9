import type { Rest } from './rest';

/** A Data Table of n8n, as its editor shows it. */

export type TableRow = Record<string, unknown> & { id: number };

type Listed = { id: string; name: string };

export class DataTable {
	private constructor(
		private readonly rest: Rest,
		private readonly path: string,
		readonly id: string,
	) {}

	private static async home(rest: Rest): Promise<string> {
		const { id } = await rest.call<{ id: string }>('GET', '/rest/projects/personal');
		return `/rest/projects/${id}/data-tables`;
	}

	/** Finds one by its name, or makes it with these columns. */
	static async of(
		rest: Rest,
		name: string,
		columns: Array<{ name: string; type: string }> = [],
	): Promise<DataTable> {
		const home = await DataTable.home(rest);
		const answer = await rest.call<{ data?: Listed[] } | Listed[]>('GET', `${home}?take=100`);
		const listed = Array.isArray(answer) ? answer : (answer.data ?? []);
		const there = listed.find((table) => table.name === name);
		const { id } = there ?? (await rest.call<Listed>('POST', home, { name, columns }));
		return new DataTable(rest, `${home}/${id}`, id);
	}

	/** All rows, in the order in which they were added. */
	async rows(): Promise<TableRow[]> {
		const answer = await this.rest.call<{ data?: TableRow[] } | TableRow[]>(
			'GET',
			`${this.path}/rows?take=100`,
		);
		const rows = Array.isArray(answer) ? answer : (answer.data ?? []);
		return rows.sort((one, other) => one.id - other.id);
	}

	async add(...data: Array<Record<string, unknown>>): Promise<void> {
		await this.rest.call('POST', `${this.path}/insert`, { data, returnType: 'all' });
	}

	/** Changes the row with this id. */
	async change(id: number, data: Record<string, unknown>): Promise<void> {
		const filters = [{ columnName: 'id', condition: 'eq', value: id }];
		await this.rest.call('PATCH', `${this.path}/rows`, { filter: { type: 'and', filters }, data });
	}
}
