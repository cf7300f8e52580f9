import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { example } from '../n8n/examples';
import { announce, several } from './queueFlow';
import { root } from '../n8n/pack';
import { until } from './postFlow';
import type { QueueSetup } from './queueSetup';
import type { Credential } from '../n8n/rest';
import { TRIGGER_TYPE } from '../n8n/workflows';

/** The example for queue mode, set up according to its note, in an n8n in queue mode. */
export class QueueExample {
	private constructor(
		private readonly queue: QueueSetup,
		private readonly credential: Credential,
		readonly id: string,
		/** The paths of its two production URLs. */
		private readonly path: { articles: string; reports: string },
	) {}

	static async active(queue: QueueSetup): Promise<QueueExample> {
		const { rest } = queue.setup;
		const credential = await queue.setup.credential('for the example');
		const workflow = example('exactly-once-in-queue-mode', credential);
		const { port, user, password, database } = queue.postgres;
		const { id, name } = await rest.createCredential({
			name: 'keys',
			type: 'postgres',
			data: { host: '127.0.0.1', port, database, user, password, ssl: 'disable' },
		});
		for (const node of workflow.nodes) {
			if (node.type === 'n8n-nodes-base.postgres') node.credentials = { postgres: { id, name } };
			if (node.type === TRIGGER_TYPE) node.webhookId = randomUUID();
		}
		const saved = await rest.createWorkflow(workflow);
		const setUp = await rest.run(saved.id, 'Set Up Once');
		expect(setUp.error).toBeUndefined();
		await rest.activate(saved);
		const { webhookId } = workflow.nodes.find(({ type }) => type === TRIGGER_TYPE)!;
		const path = { articles: 'article-announced', reports: `${webhookId}/webhook` };
		return new QueueExample(queue, credential, saved.id, path);
	}

	/** A reset of the platform has ended the previous token. */
	async freshToken(): Promise<void> {
		await this.queue.setup.rest.testCredential(this.credential);
	}

	article = (id: string) => ({
		post: {
			ID: id,
			post_excerpt: `About ${id}`,
			permalink: 'https://blog.example.com/article',
			featured_image: 'https://blog.example.com/article.jpg',
		},
	});

	/** The text of an article's post. */
	textOf(id: string): string {
		const { post_excerpt: excerpt, permalink } = this.article(id).post;
		return `${excerpt}\n\n${permalink}`;
	}

	/** Announces an article, and returns the output of its execution, unless that fails. */
	async announce(id: string): Promise<unknown> {
		const { rest } = this.queue.setup;
		const newest = async () => (await rest.executionIds(this.id))[0] ?? '0';
		const before = Number(await newest());
		await this.start(id);
		await until(async () => Number(await newest()) > before, 60_000);
		const { runs } = await rest.finished(await newest());
		const last = Object.values(runs).at(-1)!.at(-1)!;
		return last.data?.main.flat()[0]?.json;
	}

	/** Announces an article, by default to the webhook processor. */
	async start(id: string, { url } = this.queue.webhook as { url: string }): Promise<void> {
		expect(await announce(url, this.path.articles, this.article(id))).toBe(200);
	}

	/** Blocks the keys of articles whose IDs start with a prefix, until `release`. */
	hold(id: string): void {
		this.queue.postgres.query(
			`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS
				$$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$;
			CREATE TRIGGER hold BEFORE INSERT ON posted_once FOR EACH ROW
				WHEN (NEW.key LIKE 'article ${id}%') EXECUTE FUNCTION hold()`,
		);
	}

	/** Removes the block. Otherwise, PostgreSQL would insert a key even if its worker has died. */
	release(): void {
		const { postgres } = this.queue;
		postgres.query(
			`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'`,
		);
		postgres.query('DROP FUNCTION hold() CASCADE');
	}

	/** The number of keys that `hold` blocks now. */
	held = (): number =>
		this.queue.postgres.query(`SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)
			.length;

	/** Sends requests to the webhook processor and to main, and waits until all executions have succeeded. */
	private async twice(ids: string[], request: (id: string, url: string) => Promise<unknown>) {
		const { rest, n8n } = this.queue.setup;
		const ended = async () => await rest.countExecutions(['success'], this.id);
		const wanted = (await ended()) + 2 * ids.length;
		const both = [this.queue.webhook.url, n8n.url];
		await several(ids, 5, async (id) => {
			const statuses = await Promise.all(both.map(async (url) => await request(id, url)));
			expect(statuses).toEqual([200, 200]);
		});
		await until(async () => (await ended()) >= wanted, 180_000);
	}

	async announceTwice(ids: string[]): Promise<void> {
		await this.twice(ids, async (id, url) => {
			return await announce(url, this.path.articles, this.article(id));
		});
	}

	/** Lets the platform report failures, and counts the executions that notified the team. */
	async reportTwice(ids: string[]): Promise<number> {
		const { emulator, rest } = this.queue.setup;
		await this.twice(ids, async (id, base) => {
			const event = { id, data: { action_sn: id, status: 'failed' } };
			const url = `${base}/webhook/${this.path.reports}`;
			return (await emulator.deliver(event, { url })).attempts[0]?.status;
		});
		const newest = (await rest.executionIds(this.id)).slice(0, 2 * ids.length);
		const executions = await Promise.all(newest.map(async (id) => await rest.execution(id)));
		return executions.filter(({ runs }) => 'Notify Your Team' in runs).length;
	}

	/** The keys that somebody has to check, as the documented query lists them two hours later. */
	toCheck(): string[] {
		const page = readFileSync(join(root, 'docs', 'examples.md'), 'utf8');
		const [, query = ''] = /^```sql\n(.*?)^```$/ms.exec(page) ?? [];
		const { postgres } = this.queue;
		const earlier = (column: string) => `SET ${column} = ${column} - interval '2 hours'`;
		postgres.query(`UPDATE posted_once ${earlier('claimed_at')}`);
		postgres.query(`UPDATE execution_entity ${earlier('"createdAt"')}`);
		return postgres.query(query).map((row) => row.split('|')[0]!);
	}
}
