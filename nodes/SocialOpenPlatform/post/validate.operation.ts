import type { IExecuteFunctions } from 'n8n-workflow';
import { describeIssues, type Issue } from '../items/parameters';
import { nameOf, type ItemFailure, type Run, type Summary } from '../items/run';
import type { Failed, Outcome } from '../platform/outcome';
import { checkPost } from './check';
import { ACCOUNT } from './fields';
import { describeFile } from './media/files';
import { previewsOf } from './media/links';
import { PostReader, replaceFiles, type Post } from './post';
import { describeTime } from './publishTime';
import { optionLabels } from './sendingOptions';

/** Reads and checks the posts of a run, and keeps their issues for the summary. */
class ValidateRun implements Run {
	private readonly checked: Post[] = [];

	/** The names of the posts by their keys. */
	private readonly keys = new Map<string, string | undefined>();

	constructor(
		private readonly reader: PostReader,
		private readonly itemCount: number,
		private readonly beyondLimit = reader.limitIssue(() => itemCount),
	) {}

	async check(itemIndex: number): Promise<Post> {
		const post = this.reader.read(itemIndex);
		post.issues.push(...this.keyIssues(post));
		if (this.beyondLimit) post.issues.push(this.beyondLimit);
		post.warnings.push(...this.unlistedWarnings(post));
		const checked = await checkPost(this.reader, post, post.options.checkMedia !== false);
		this.checked[itemIndex] = checked;
		return checked;
	}

	/** The issue of a key that an earlier item has. */
	private keyIssues({ values, options: { oncePerKey }, itemIndex }: Post): Issue[] {
		if (!oncePerKey) return [];
		const key = JSON.stringify([values.social_account_id, values.type, oncePerKey]);
		if (this.keys.has(key)) {
			const message = `is also the key of ${this.keys.get(key)}; only that post would be published`;
			return [{ field: optionLabels.oncePerKey!, message }];
		}
		this.keys.set(key, nameOf('post', itemIndex, this.itemCount));
		return [];
	}

	/** The warning about an account that the credential does not list. */
	private unlistedWarnings({ values: { social_account_id: account } }: Post): Issue[] {
		const { accounts } = this.reader.session.settings;
		if (account === undefined || accounts.size === 0 || accounts.has(account)) return [];
		const message = `(${account}) is not listed in the credential; check the ID, or add it to 'Accounts' there`;
		return [{ field: ACCOUNT, message }];
	}

	/** @param failures the posts that could not be read */
	summary(failures: ItemFailure[]): Summary {
		const posts = this.checked.filter(Boolean);
		const ready = posts.filter(({ issues }) => issues.length === 0).length;
		const unready = posts.length - ready + failures.length;
		const [only] = posts;
		const text =
			only && ready + unready === 1
				? stateOf(only, this.reader.context)
				: `${counted(ready, 'post')} ready${unready > 0 ? `, ${unready} not ready` : ''}`;
		const shown = (kind: 'Problem' | 'Warning', issuesOf: (post: Post) => Issue[]) =>
			posts.flatMap((post) => issuesOf(post).map((issue) => ({ kind, name: post.name, issue })));
		// The posts that are not ready come first.
		const all = [
			...shown('Problem', ({ issues }) => issues),
			...shown('Warning', ({ warnings }) => warnings),
		];
		return { text: `${text}.`, warnings: describeIssues(all) };
	}
}

export async function begin(context: IExecuteFunctions): Promise<ValidateRun | Failed> {
	const reader = await PostReader.open(context);
	if ('failure' in reader) return reader;
	return new ValidateRun(reader, context.getInputData().length);
}

/**
 * Reads the same input as Create, but sends nothing and fetches no token.
 *
 * @returns a `summary`, `valid`, the exact `request_body`, and, if there are any, `problems` (issues
 * that prevent sending) and `warnings`. Empty lists are left out, because n8n shows them in red.
 */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
	run: ValidateRun,
): Promise<Outcome<object>> {
	const post = await run.check(itemIndex);
	const { body, issues, warnings, found, options, values } = post;
	const { post_date: date } = values;
	return {
		kind: 'accepted',
		value: {
			summary: stateOf(post, context),
			valid: issues.length === 0,
			...(date && { scheduled_for: describeTime(date, context.getTimezone()).scheduled_for }),
			...(issues.length > 0 && { problems: issues }),
			...(warnings.length > 0 && { warnings }),
			request_body: replaceFiles(body, (file) => describeFile(file, found.get(file))),
		},
		binary: options.checkMedia === false ? undefined : await previewsOf(context, found),
	};
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Says whether Create would send a post, when it would be published, and how many issues it has. */
function stateOf({ issues, warnings, values }: Post, context: IExecuteFunctions) {
	const counts = [
		...(issues.length > 0 ? [counted(issues.length, 'problem')] : []),
		...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
	];
	if (issues.length > 0) return `Not ready: ${counts.join(', ')}`;
	const { post_date: date } = values;
	const time = date ? `. ${describeTime(date, context.getTimezone()).sentence}` : '';
	return ['Ready', ...counts].join(', ') + time;
}
