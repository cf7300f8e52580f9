import type { IExecuteFunctions } from 'n8n-workflow';
import { describeIssues } from '../items/parameters';
import { type ItemFailure, type Run, type Summary } from '../items/run';
import { type Failed, type Outcome } from '../platform/outcome';
import { ACCOUNT } from './fields';
import { checkPost, describeFile } from './media/files';
import { PostReader, replaceFiles, type Post } from './post';
import { describeTime } from './publishTime';

/** Reads and checks the posts of a run, and keeps their issues for the summary. */
class ValidateRun implements Run {
	private readonly checked: Post[] = [];

	constructor(
		private readonly reader: PostReader,
		private readonly itemCount: number,
		private readonly beyondLimit = reader.limitIssue(() => itemCount),
	) {}

	async check(itemIndex: number): Promise<Post> {
		const { reader, beyondLimit } = this;
		const post = reader.read(itemIndex);
		const { options, issues, warnings } = post;
		const { social_account_id: account } = post.values;
		const { accounts } = reader.session.settings;
		if (beyondLimit) issues.push(beyondLimit);
		if (account !== undefined && accounts.size > 0 && !accounts.has(account)) {
			const message = `(${account}) is not listed in the credential; check the ID, or add it to 'Accounts' there`;
			warnings.push({ field: ACCOUNT, message });
		}
		await checkPost(reader, post, options.checkMedia !== false);
		this.checked[itemIndex] = post;
		return post;
	}

	/** @param failures the posts that could not be read */
	summary(failures: ItemFailure[]): Summary {
		const posts = this.checked.filter(Boolean);
		const ready = posts.filter(({ issues }) => issues.length === 0).length;
		const unready = posts.length - ready + failures.length;
		const [only] = posts;
		const text =
			only && this.itemCount === 1
				? stateOf(only, this.reader.context)
				: `${counted(ready, 'post')} ready${unready > 0 ? `, ${unready} not ready` : ''}`;
		const shown = (kind: 'Problem' | 'Warning', list: 'issues' | 'warnings') =>
			posts.flatMap((post) => post[list].map((issue) => ({ kind, name: post.name, issue })));
		const all = [...shown('Problem', 'issues'), ...shown('Warning', 'warnings')];
		return { text: `${text}.`, warnings: describeIssues(all) };
	}
}

export async function begin(context: IExecuteFunctions): Promise<ValidateRun | Failed> {
	const reader = await PostReader.open(context);
	return 'failure' in reader ? reader : new ValidateRun(reader, context.getInputData().length);
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
	const { body, issues, warnings, media, values } = post;
	const { post_date: date } = values;
	return {
		kind: 'accepted',
		value: {
			summary: stateOf(post, context),
			valid: issues.length === 0,
			...(date && { scheduled_for: describeTime(date, context.getTimezone()).scheduled_for }),
			...(issues.length > 0 && { problems: issues }),
			...(warnings.length > 0 && { warnings }),
			request_body: replaceFiles(body, (file) => describeFile(file, media)),
		},
	};
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Says whether Create would send a post, when it would be published, and how many issues it has. */
function stateOf({ issues, warnings, values }: Post, context: IExecuteFunctions) {
	const { post_date: date } = values;
	const more = warnings.length > 0 ? `, ${counted(warnings.length, 'warning')}` : '';
	if (issues.length > 0) return `Not ready: ${counted(issues.length, 'problem')}${more}`;
	const time = date ? `. ${describeTime(date, context.getTimezone()).sentence}` : '';
	return `Ready${more}${time}`;
}
