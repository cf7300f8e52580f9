import type { Rest } from './rest';

export type TableRow = Record<string, unknown> & { id: number };

/** The largest page that n8n 1 returns. */
const PAGE = 50;

type Listed = { id: string; name: string };

/** A Data Table, through the interface of n8n's editor. */
export class DataTable {
	private constructor(
		private readonly rest: Rest,
		private readonly path: string,
		readonly id: string,
	) {}

	private static async tablesPath(rest: Rest): Promise<string> {
		const { id } = await rest.call<{ id: string }>('GET', '/rest/projects/personal');
		return `/rest/projects/${id}/data-tables`;
	}

	/** Finds a table by its name, or creates it. */
	static async of(
		rest: Rest,
		name: string,
		columns: Array<{ name: string; type: string }> = [],
	): Promise<DataTable> {
		const tables = await DataTable.tablesPath(rest);
		const answer = await rest.call<{ data?: Listed[] } | Listed[]>('GET', `${tables}?take=100`);
		const listed = Array.isArray(answer) ? answer : (answer.data ?? []);
		const existing = listed.find((table) => table.name === name);
		const { id } = existing ?? (await rest.call<Listed>('POST', tables, { name, columns }));
		return new DataTable(rest, `${tables}/${id}`, id);
	}

	/** All rows in the order of their creation. */
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

	async change(id: number, data: Record<string, unknown>): Promise<void> {
		const filters = [{ columnName: 'id', condition: 'eq', value: id }];
		await this.rest.call('PATCH', `${this.path}/rows`, { filter: { type: 'and', filters }, data });
	}
}
