import type { IExecuteFunctions } from 'n8n-workflow';
import { describeIssues } from '../items/parameters';
import type { FailedItem, Run, Summary } from '../items/run';
import type { Failed, Outcome } from '../platform/outcome';
import { checkMedia, describeFile } from './media/files';
import { PostReader, replaceFiles, type Post } from './post';
import { describeTime } from './publishTime';

/** Reads and checks the posts of a run, and keeps them for the summary. */
class ValidateRun implements Run {
	private readonly checked: Post[] = [];

	constructor(
		private readonly reader: PostReader,
		private readonly beyondLimit = reader.limitIssue(() => reader.context.getInputData().length),
	) {}

	async check(itemIndex: number): Promise<Post> {
		const { reader, beyondLimit } = this;
		const post = reader.read(itemIndex);
		if (beyondLimit) post.issues.push(beyondLimit);
		await checkMedia(reader, post, post.options.checkMedia !== false);
		this.checked[itemIndex] = post;
		return post;
	}

	/** @param failures the failures of posts that could not be read */
	summary(failures: FailedItem[]): Summary {
		const posts = this.checked.filter(Boolean);
		const ready = posts.filter(({ issues }) => issues.length === 0).length;
		const unready = posts.length - ready + failures.length;
		const shown = (kind: 'Problem' | 'Warning', list: 'issues' | 'warnings') =>
			posts.flatMap((post) => post[list].map((issue) => ({ kind, name: post.name, issue })));
		const all = [...shown('Problem', 'issues'), ...shown('Warning', 'warnings')];
		return {
			text: `Posts: ${ready} ready, ${unready} not ready.`,
			warnings: describeIssues(all),
		};
	}
}

export async function begin(context: IExecuteFunctions): Promise<ValidateRun | Failed> {
	const reader = await PostReader.open(context);
	return 'failure' in reader ? reader : new ValidateRun(reader);
}

/**
 * Reads and checks the same fields as Create, but sends nothing to the platform and fetches no
 * token.
 *
 * @returns `summary`, `valid`, `request_body` and, if applicable, `scheduled_for`, `problems`
 * (issues that prevent sending) and `warnings`. Empty lists are omitted, because n8n shows them in
 * red.
 */
export async function execute(
	context: IExecuteFunctions,
	itemIndex: number,
	run: ValidateRun,
): Promise<Outcome<object>> {
	const post = await run.check(itemIndex);
	const { issues, warnings, media, values, timezone } = post;
	const { post_date: date } = values;
	const time = date && describeTime(date, timezone);
	const valid = issues.length === 0;
	const counts = [
		valid ? 'Ready' : `Not ready: ${counted(issues.length, 'problem')}`,
		...(warnings.length > 0 ? [counted(warnings.length, 'warning')] : []),
	].join(', ');
	return {
		kind: 'accepted',
		value: {
			summary: valid && time ? `${counts}. ${time.sentence}` : counts,
			valid,
			...(time && { scheduled_for: time.scheduled_for }),
			...(!valid && { problems: issues }),
			...(warnings.length > 0 && { warnings }),
			request_body: replaceFiles(post, (file) => describeFile(file, media)),
		},
	};
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
