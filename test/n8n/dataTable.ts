import type { Rest } from './rest';

/** A Data Table of n8n, as its editor shows it. */

export type TableRow = Record<string, unknown> & { id: number };

/** As many rows as n8n 1 gives at once. */
const PAGE = 50;

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
		const all: TableRow[] = [];
		for (let page = await this.page(0); page.length > 0; page = await this.page(all.length)) {
			all.push(...page);
		}
		return all;
	}

	private async page(skip: number): Promise<TableRow[]> {
		const path = `${this.path}/rows?sortBy=id:asc&skip=${skip}&take=${PAGE}`;
		const answer = await this.rest.call<{ data?: TableRow[] } | TableRow[]>('GET', path);
		return Array.isArray(answer) ? answer : (answer.data ?? []);
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
