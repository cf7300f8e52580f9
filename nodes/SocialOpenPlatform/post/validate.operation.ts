import type { IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';
import { describeIssues, type Issue } from '../items/parameters';
import { nameOf, type ItemFailure, type Run, type Summary } from '../items/run';
import type { Failed, Outcome } from '../platform/outcome';
import { checkPost } from './check';
import { ACCOUNT } from './fields';
import { describeFile } from './media/files';
import { previewsOf } from './media/links';
import { optionLabels } from './sendingOptions';
import { describeTime } from './publishTime';
import { PostReader, type Post } from './post';
import { replaceFiles } from './wire';

/** Reads and checks the posts of a run, and keeps their issues for the summary. */
class ValidateRun implements Run {
	private readonly checked: Post[] = [];

	/** The names of the posts by their keys. */
	private readonly keys = new Map<string, string | undefined>();

	private readonly beyondLimit;

	constructor(
		private readonly reader: PostReader,
		private readonly itemCount: number,
	) {
		this.beyondLimit = reader.limitIssue(() => itemCount);
	}

	async check(itemIndex: number): Promise<Post> {
		const { reader, beyondLimit } = this;
		const read = reader.read(itemIndex);
		const more = [beyondLimit, this.keyIssue(read)].filter((issue) => issue !== undefined);
		const post = {
			...read,
			issues: [...read.issues, ...more],
			warnings: [...read.warnings, ...this.unlistedWarnings(read)],
		};
		const checked = await checkPost(reader, post, post.options.checkMedia !== false);
		this.checked[itemIndex] = checked;
		return checked;
	}

	/** The issue of a key that an earlier item has. */
	private keyIssue({ values, options, itemIndex }: Post): Issue | undefined {
		const { oncePerKey } = options;
		if (!oncePerKey) return undefined;
		const key = JSON.stringify([values.social_account_id, values.type, oncePerKey]);
		if (!this.keys.has(key)) {
			this.keys.set(key, nameOf('post', itemIndex, this.itemCount));
			return undefined;
		}
		const message = `is also the key of ${this.keys.get(key)}; only that post would be published`;
		return { field: optionLabels.oncePerKey!, message };
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
		const readyPosts = `${ready} post${ready === 1 ? '' : 's'} ready`;
		const [only] = posts;
		const text =
			only && ready + unready === 1
				? `${stateOf(only, this.reader.context)}.`
				: `${readyPosts}${unready > 0 ? `, ${unready} not ready` : ''}.`;
		const shown = posts.flatMap(({ name, issues, warnings }) => [
			...issues.map((issue) => ({ kind: 'Problem' as const, name, issue })),
			...warnings.map((issue) => ({ kind: 'Warning' as const, name, issue })),
		]);
		// The posts that are not ready come first.
		shown.sort((a, b) => a.kind.localeCompare(b.kind));
		return { text, warnings: describeIssues(shown) };
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
	const { body, issues, warnings, found, options } = post;
	const { post_date: date } = post.values;
	const binary: IBinaryKeyData | undefined =
		options.checkMedia === false ? undefined : await previewsOf(context, found);
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
		binary,
	};
}

/** Says whether Create would send a post, when it would be published, and how many issues it has. */
function stateOf({ issues, warnings, values }: Post, context: IExecuteFunctions) {
	const counted = ({ length }: Issue[], what: string) =>
		length > 0 && `${length} ${what}${length > 1 ? 's' : ''}`;
	const counts = [counted(issues, 'problem'), counted(warnings, 'warning')].filter(Boolean);
	if (issues.length > 0) return `Not ready: ${counts.join(', ')}`;
	const { post_date: date } = values;
	const time = date ? `. ${describeTime(date, context.getTimezone()).sentence}` : '';
	return ['Ready', ...counts].join(', ') + time;
}
