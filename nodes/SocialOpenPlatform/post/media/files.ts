import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { originalErrorOf, readConnectionError } from '../../platform/connection';
import { type Failed, failed, type Issue } from '../../platform/outcome';
import { responseOptions, type StreamedResponse } from '../../platform/response';
import { withTimeout } from '../../platform/session';
import { COVER, labelOf, MEDIA, PUBLISH_AT } from '../fields';
import {
	replaceFiles,
	type FieldMedia,
	type Post,
	type PostContent,
	type PostReader,
} from '../post';
import { formatOf, MAX_HEAD_BYTES, MediaFile, readHead, type FileFacts } from './formats';
import { checkFile, isPrivate, mediaWarnings } from './limits';

const DAY_S = 24 * 3600;

const LINK_TIMEOUT_MS = 10_000;
const MAX_REDIRECTS = 5;

/** Maximum number of links that are opened for a post. The photo platform accepts 10. */
const MAX_LINKS = 20;

/**
 * Matches the execution's ID in a file's ID. Files from webhooks, forms and chats have `temp`
 * there, until n8n moves them at the end of the execution.
 */
const OWNER = /\/executions\/([^/]+)\//;

const NO_STORAGE =
	'cannot be posted, because n8n keeps files in memory; set N8N_DEFAULT_BINARY_DATA_MODE to filesystem and restart n8n';

const NO_CONTENT =
	'was passed without its content; if n8n keeps files in memory, set N8N_DEFAULT_BINARY_DATA_MODE to filesystem and restart n8n; otherwise, enter only its name, such as data';

const GONE =
	'cannot be read, because n8n has deleted or moved it; run the workflow again from the node that provides the file, or, if this is a sub-workflow, retry the execution of its parent';

const NOT_KEPT =
	"contains a file, but the workflow does not keep this execution, and n8n deletes the file with it; in the workflow's settings, save successful and failed production executions, and manual executions";

/** Returns the files among the media of a post. */
function filesOf(media: FieldMedia[]) {
	return media.filter(
		(one): one is FieldMedia & { source: MediaFile } => one.source instanceof MediaFile,
	);
}

/**
 * Checks a post's media. Adds issues and warnings to the post.
 *
 * @param opensLinks whether to open the links, too
 */
export async function checkMedia(
	{ context, session }: PostReader,
	post: Post,
	opensLinks: boolean,
) {
	const { media } = post;
	const isLocal = isPrivate(session.settings.baseUrl.href);
	const files = filesOf(media);
	const [first] = files;
	// The files are read one after the other, because n8n may load each file into memory as a whole.
	for (const file of files) file.facts = await readFile(context, file.source);
	if (opensLinks) {
		const openOne = async (one: FieldMedia) => {
			one.facts = await openLink(context, one.source as string, isLocal);
		};
		const links = media.filter(({ source }) => typeof source === 'string');
		await Promise.all(links.slice(0, MAX_LINKS).map(openOne));
	}
	if (first) post.issues.push(...hostIssues(context, post, first.field, isLocal));
	checkLimits(post, isLocal);
}

/**
 * Adds issues and warnings to a post whose media exceed the limits of the photo platform, or may
 * exceed them. Warnings about a field with an issue are removed.
 *
 * @param isLocal whether the platform is at a private address, so that it can reach other private
 * addresses
 */
export function checkLimits(post: PostContent, isLocal: boolean) {
	const { values, media, issues } = post;
	const inMedia = media.filter(({ field }) => field === MEDIA);
	const warnings = mediaWarnings(values, inMedia, isLocal).map(({ name, message }) => ({
		field: labelOf(name),
		message,
	}));
	for (const { facts, field, place } of media) {
		if (!facts) continue;
		const { issue, warnings: ofFile = [] } = checkFile(facts, values.type, field === COVER);
		if (issue) issues.push({ field, message: `${place}${issue}` });
		warnings.push(...ofFile.map((one) => ({ field, message: `${place}${one}` })));
	}
	const hasNoIssue = (one: Issue) => issues.every(({ field }) => field !== one.field);
	post.warnings = [...post.warnings, ...warnings].filter(hasNoIssue);
}

/** Returns the issues that would prevent the platform from downloading a post's files. */
function hostIssues(
	context: IExecuteFunctions,
	{ values, options }: Post,
	field: string,
	isLocal: boolean,
): Issue[] {
	const issues: Issue[] = [];
	const { saveDataSuccessExecution, saveDataErrorExecution, saveManualExecutions } =
		context.getWorkflowSettings();
	// A later item or node may fail, so n8n must keep failed executions, too.
	const isKept =
		context.getMode() === 'manual'
			? saveManualExecutions !== false
			: ![saveDataSuccessExecution, saveDataErrorExecution].includes('none');
	if (!isKept) issues.push({ field, message: NOT_KEPT });
	const url = context.getRestApiUrl();
	if (!isLocal && isPrivate(url)) {
		const message = `contains a file, but the platform cannot reach this n8n at ${new URL(url).origin}; set n8n's variable N8N_WEBHOOK_URL (n8n 1: WEBHOOK_URL) to its public address`;
		issues.push({ field, message });
	}
	const { fileLinkValidity: days } = options;
	if (Date.parse(values.post_date ?? '') > Date.now() + days * DAY_S * 1000) {
		const message = `is after the links to the files expire (${days} days); choose an earlier time, increase 'File Link Validity (Days)', or enter a public URL instead of the file`;
		issues.push({ field: PUBLISH_AT, message });
	}
	return issues;
}

/**
 * Reads the size and format of a file. A file whose content is in the item is stored first, because
 * n8n creates links only to stored files. A file from another execution or n8n's temporary storage
 * is copied later, because n8n may move or delete it. A file with a wrong MIME type is also copied,
 * because n8n sends this type with the file.
 */
async function readFile(context: IExecuteFunctions, { binary }: MediaFile): Promise<FileFacts> {
	const { helpers, logger } = context;
	const { id, data, fileName, mimeType } = binary;
	if (!id) {
		if (!data) return { issue: NO_CONTENT };
		const content = Buffer.from(data, 'base64');
		const format = formatOf(content);
		const stored = await helpers.prepareBinaryData(content, fileName, format?.type ?? mimeType);
		return stored.id ? { bytes: content.length, format, stored } : { issue: NO_STORAGE };
	}
	try {
		const { fileSize, mimeType: served } = await helpers.getBinaryMetadata(id);
		const format = formatOf(await readHead(await helpers.getBinaryStream(id)));
		const isOwn = [undefined, context.getExecutionId()].includes(OWNER.exec(id)?.[1]);
		return {
			bytes: fileSize,
			format,
			stored: isOwn && format?.type === served ? binary : undefined,
		};
	} catch (error) {
		// The reason is for n8n's operator, so only the log contains it.
		logger.warn(`Cannot read a file: ${String(error)}`);
		return { issue: GONE };
	}
}

/** Opens a link within a time limit, and reads the facts about its file. No credential is sent. */
async function openLink(
	context: IExecuteFunctions,
	link: string,
	isLocal: boolean,
): Promise<FileFacts> {
	try {
		return await withTimeout(
			LINK_TIMEOUT_MS,
			async (signal) => await follow(context, link, isLocal, signal),
			context.getExecutionCancelSignal(),
		);
	} catch (error) {
		return { issue: `cannot be opened: ${readConnectionError(originalErrorOf(error)).reason}` };
	}
}

/**
 * Opens a link, and reads the facts about its file. Redirects are followed here, so that each
 * address can be checked. Private addresses are opened only if the platform is also at a private
 * address.
 */
async function follow(
	{ helpers }: IExecuteFunctions,
	link: string,
	isLocal: boolean,
	abortSignal: AbortSignal,
): Promise<FileFacts> {
	let url = link;
	for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
		if (!/^https?:/i.test(url)) return { issue: 'redirects to an app, not to a file' };
		if (!isLocal && isPrivate(url)) {
			return { issue: 'leads to a private address, which the platform cannot reach' };
		}
		const response = (await helpers.httpRequest({
			...responseOptions,
			url,
			headers: {
				accept: 'image/*, video/*',
				'accept-encoding': 'identity',
				range: `bytes=0-${MAX_HEAD_BYTES - 1}`,
			},
			abortSignal,
		})) as StreamedResponse;
		const { statusCode, headers } = response;
		const { location } = headers;
		const isRedirect = statusCode >= 300 && statusCode < 400;
		if (!isRedirect || !location || !URL.canParse(location, url)) return await readFacts(response);
		url = new URL(location, url).href;
	}
	return { issue: `redirects more than ${MAX_REDIRECTS} times` };
}

async function readFacts({ statusCode, headers, body }: StreamedResponse): Promise<FileFacts> {
	if (![200, 206].includes(statusCode)) {
		return {
			issue: `cannot be downloaded: the server responds with HTTP ${statusCode}; correct the link, or allow everyone to download the file`,
		};
	}
	const head = await readHead(body);
	const format = formatOf(head);
	if (!format && /html/i.test(headers['content-type'] ?? '')) {
		return { issue: 'is a web page, not a file; enter the direct link to the file' };
	}
	// A partial response states the size of the whole file if the server knows it.
	const [, total] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
	return { format, bytes: Number(statusCode === 206 ? total : headers['content-length']) };
}

/**
 * Creates links to the files of a checked post. Anyone who has a link can download its file. A file
 * that has to be copied is copied once, and each attempt then gets new links to this copy.
 *
 * @returns a request body with links in place of files, and the secrets in those links
 */
export async function linkFiles(
	{ helpers, logger }: IExecuteFunctions,
	post: Post,
): Promise<{ body: Record<string, unknown>; bodySecrets: string[] } | Failed> {
	const { name, media, options } = post;
	const urls = new Map<MediaFile, string>();
	const bodySecrets: string[] = [];
	for (const { source: file, field, place, facts = {} } of filesOf(media)) {
		const { name: format = '', type } = facts.format ?? {};
		const { id = '', fileName } = file.binary;
		try {
			facts.stored ??= await helpers.prepareBinaryData(
				await helpers.getBinaryStream(id),
				fileName,
				type,
			);
			const stored = facts.stored as IBinaryData;
			// n8n creates links even to deleted files, so this call checks whether the file exists.
			await helpers.getBinaryMetadata(stored.id ?? '');
			const url = helpers.createBinarySignedUrl(stored, `${options.fileLinkValidity * DAY_S}s`);
			// Some platforms detect a file's type from the end of its URL.
			urls.set(file, `${url}&file=media.${format.toLowerCase()}`);
			const token = new URL(url).searchParams.get('token') ?? '';
			// A response may contain only a token's payload or signature, so both are secrets, too.
			bodySecrets.push(token, ...token.split('.').slice(1));
		} catch (error) {
			logger.warn(`Cannot create a link to a file: ${String(error)}`);
			return failed.invalid(name, [{ field, message: `${place}${GONE}` }]);
		}
	}
	return { body: replaceFiles(post, (file) => urls.get(file)), bodySecrets };
}

/** Describes a file in place of a link, for the output of Validate. */
export function describeFile(file: MediaFile, media: FieldMedia[]): object {
	const { facts } = media.find(({ source }) => source === file) ?? {};
	return { file: file.name, type: facts?.format?.type, bytes: facts?.bytes };
}
