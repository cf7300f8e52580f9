import { copyFileSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { Child, finish } from '../../n8n/child';
import { freePort } from '../../n8n/ports';
import { waitUntilReady } from '../../n8n/services';

const PACKAGED = '/usr/share/wordpress';

/** The fields of WordPress's function wp_insert_post(), and the kind of the featured image. */
export interface WordPressArticle {
	ID?: number;
	post_title: string;
	post_content?: string;
	post_excerpt?: string;
	post_password?: string;
	post_status?: 'draft' | 'future';
	post_date?: string;
	post_name?: string;
	tags_input?: string[];
	meta_input?: Record<string, string>;
	image?: 'jpeg' | 'webp' | 'in a draft' | 'deleted';
}

/** A date as WordPress stores it. */
export const wordPressDate = (time: number): string =>
	new Date(time).toISOString().slice(0, 19).replace('T', ' ');

/** The WordPress of Debian's package `wordpress`, with a temporary folder, a database and a free port. */
export class WordPress {
	private readonly children: Child[] = [];

	private constructor(
		readonly url: string,
		private readonly folder: string,
	) {}

	static async start(): Promise<WordPress> {
		if (!existsSync(PACKAGED)) {
			throw new Error(
				'WordPress is not installed. On Debian: apt-get install --no-install-recommends wordpress php-cli php-mysql php-gd mariadb-server',
			);
		}
		const folder = mkdtempSync(join(tmpdir(), 'wordpress-host-'));
		const site = new WordPress(`http://127.0.0.1:${await freePort()}`, folder);
		const { files } = site;
		const args = ['--recursive', '--dereference', PACKAGED, files];
		const copy = new Child({ program: 'cp', args, cwd: folder, env: process.env });
		await Promise.all([site.startDatabase(), finish(copy, 'Copying WordPress')]);
		copyFileSync(join(__dirname, 'wp-config.php'), join(files, 'wp-config.php'));
		for (const path of [join(files, 'wp-content', 'uploads'), site.compiled]) {
			mkdirSync(path, { recursive: true });
		}
		await finish(site.php(join(__dirname, 'site.php')), 'Installing WordPress');
		const address = new URL(site.url).host;
		const server = site.php('-S', address, '-t', files, join(__dirname, 'router.php'));
		site.children.push(server);
		await waitUntilReady('PHP', server, () => server.log().includes('started'));
		return site;
	}

	private get files(): string {
		return join(this.folder, 'site');
	}

	/** Where PHP keeps compiled code for its next process. */
	private get compiled(): string {
		return join(this.folder, 'compiled');
	}

	private get socket(): string {
		return join(this.folder, 'database.sock');
	}

	private async startDatabase(): Promise<void> {
		const { username } = userInfo();
		const data = ['--no-defaults', `--user=${username}`, `--datadir=${join(this.folder, 'data')}`];
		const run = (program: string, ...args: string[]) =>
			new Child({ program, args: [...data, ...args], cwd: this.folder, env: process.env });
		const install = run('mariadb-install-db', '--auth-root-authentication-method=normal');
		await finish(install, 'Creating a database');
		const server = run('/usr/sbin/mariadbd', '--skip-networking', `--socket=${this.socket}`);
		this.children.unshift(server);
		await waitUntilReady('MariaDB', server, () => existsSync(this.socket));
	}

	private php(...args: string[]): Child {
		const env = { ...process.env, SITE_URL: this.url, SITE_SOCKET: this.socket };
		const settings = [
			...['-d', 'opcache.enable_cli=1', '-d', `opcache.file_cache=${this.compiled}`],
			...['-d', 'sendmail_path=true'],
		];
		return new Child({ program: 'php', args: [...settings, ...args], cwd: this.files, env });
	}

	/** Saves articles, and returns their IDs. */
	async save(...articles: WordPressArticle[]): Promise<number[]> {
		const child = this.php(join(__dirname, 'site.php'), JSON.stringify(articles));
		return JSON.parse(await finish(child, 'Saving articles')) as number[];
	}

	async stop(): Promise<void> {
		for (const child of this.children.reverse()) await child.stop();
		await rm(this.folder, { recursive: true, force: true });
	}
}
