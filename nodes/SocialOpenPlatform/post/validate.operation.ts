import type { IBinaryKeyData, IExecuteFunctions } from 'n8n-workflow';
import { parameterReader } from '../items/parameterReader';
import type { Issue } from '../platform/issue';
import { replaceFiles } from './wire';
import type { Failed, Outcome } from '../platform/outcome';
import { openSession } from '../platform/session';
import { nameOf, type Run, type Summary } from '../items/operation';
import { labels } from './fields';
import { checkFiles } from './media/files';
import { checkLinks, previewsOf } from './media/links';
import { limitIssue, ownProblems } from './create.operation';
import { optionLabels, optionsReader } from './postSettings';
import { postReader, type PreparedPost } from './read';
import { postName } from './send';
import { describeIssues } from './summary';

interface ValidatedPost extends PreparedPost {
	previews?: IBinaryKeyData;
}

interface ValidateRun extends Run {
	read: (itemIndex: number) => Promise<ValidatedPost>;
	/** The issues of the posts that have been read, by the indexes of their items. */
	found: FoundIssues[];
	itemCount: number;
}

interface FoundIssues {
	/** How messages name the post; undefined if it is the only one. */
	name?: string;
	problems: Issue[];
	warnings: Issue[];
}

export async function begin(context: IExecuteFunctions): Promise<ValidateRun | Failed> {
	const session = await openSession(context, 'the post');
	if ('failure' in session) return session;
	const parameter = parameterReader(context);
	const { settings } = session;
	const { accounts } = settings;
	const readOptions = optionsReader();
	const read = postReader(context, settings, parameter);
	const itemCount = context.getInputData().length;
	const first = () => readOptions(parameter('options', 0, {}));
	const beyondLimit = limitIssue(context, first, () => itemCount);
	const found: FoundIssues[] = [];
	const keys = new Map<string, string | undefined>();
	return {
		itemCount,
		found,
		summary: ({ length }) => summaryOf(found.filter(Boolean), length),
		read: async (itemIndex) => {
			const post = read(itemIndex);
			const own = readOptions(parameter('options', itemIndex, {}));
			const { options } = own;
			const { account, contentType, problems, warnings } = post;
			const field = labels.social_account_id;
			const isUsable = account !== undefined && !problems.some((one) => one.field === field);
			if (isUsable && accounts.size > 0 && !accounts.has(account)) {
				const message = `(${account}) is not listed in the credential; check the ID, or add it to 'Accounts' there`;
				post.warnings = () => [...warnings(), { field, message }];
			}
			problems.push(...ownProblems(own), ...(beyondLimit ? [beyondLimit] : []));
			const key = options.oncePerKey && JSON.stringify([account, contentType, options.oncePerKey]);
			const name = nameOf('post', itemIndex, itemCount);
			if (key && keys.has(key)) {
				const message = `is also the key of ${keys.get(key)}; only that post would be published`;
				problems.push({ field: optionLabels.oncePerKey!, message });
			} else if (key) keys.set(key, name);
			await checkFiles(context, settings, post, options.fileLinkValidity);
			if (options.checkMedia === false) return post;
			await checkLinks(context, settings, post);
			return { ...post, previews: await previewsOf(context, post) };
		},
	};
}

/**
 * Reads the same input as Create, but sends nothing and fetches no token.
 *
 * @returns a `summary`, `valid`, the exact `request_body`, and, if there are any, `problems` (issues
 * that prevent sending) and `warnings`. Empty lists are left out, because n8n shows them in red.
 */
export async function execute(
	_: IExecuteFunctions,
	itemIndex: number,
	run: ValidateRun,
): Promise<Outcome<object>> {
	const post = await run.read(itemIndex);
	const { body, problems, previews } = post;
	const warnings = post.warnings();
	const found = { name: postName(itemIndex, run.itemCount, body), problems, warnings };
	run.found[itemIndex] = found;
	return {
		kind: 'accepted',
		value: {
			summary: stateOf(found),
			valid: problems.length === 0,
			...(problems.length > 0 && { problems }),
			...(warnings.length > 0 && { warnings }),
			request_body: replaceFiles(body, (file) => file.description),
		},
		binary: previews,
	};
}

/** Whether Create would send a post, and how many issues it has. */
function stateOf({ problems, warnings }: FoundIssues): string {
	const counted = ({ length }: Issue[], what: string) =>
		length > 0 && `${length} ${what}${length > 1 ? 's' : ''}`;
	const counts = [counted(problems, 'problem'), counted(warnings, 'warning')].filter(Boolean);
	if (problems.length > 0) return `Not ready: ${counts.join(', ')}`;
	return ['Ready', ...counts].join(', ');
}

/** @param failed number of posts that could not be read */
function summaryOf(posts: FoundIssues[], failed: number): Summary {
	const ready = posts.filter(({ problems }) => problems.length === 0).length;
	const unready = posts.length - ready + failed;
	const readyPosts = `${ready} post${ready === 1 ? '' : 's'} ready`;
	const [only] = posts;
	const text =
		only && ready + unready === 1
			? `${stateOf(only)}.`
			: `${readyPosts}${unready > 0 ? `, ${unready} not ready` : ''}.`;
	const issues = posts.flatMap(({ name, problems, warnings }) => [
		...problems.map((issue) => ({ kind: 'Problem' as const, name, issue })),
		...warnings.map((issue) => ({ kind: 'Warning' as const, name, issue })),
	]);
	// The posts that are not ready come first.
	issues.sort((a, b) => a.kind.localeCompare(b.kind));
	return { text, warnings: describeIssues(issues) };
}
