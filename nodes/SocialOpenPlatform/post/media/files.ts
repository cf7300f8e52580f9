import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import type { Issue } from '../../platform/issue';
import { mediaTypes, readHead, readMedia, type MediaFile } from './formats';
import { fileProblem, isPrivate } from './photoLimits';
import { replaceFiles } from '../wire';
import type { Settings } from '../../platform/settings';
import { invalid, notSent, type Failed } from '../../platform/outcome';
import { labels } from '../fields';
import { MAX_LINK_DAYS } from '../postSettings';
import type { PlacedFile, PreparedPost } from '../read';

/** Maximum number of files of a post. */
const MAX_FILES = 10;

const DAY_S = 24 * 3600;

/**
 * The execution to which a file belongs, in the ID of the file. It is `temp` for files from webhooks, forms
 * and chats, which n8n moves when the execution ends.
 */
const OWNER = /\/executions\/([^/]+)\//;

const ownerOf = (id: string) => OWNER.exec(id)?.[1];

const NO_STORAGE =
	'cannot be posted, because n8n keeps files in memory; set N8N_DEFAULT_BINARY_DATA_MODE to filesystem and restart n8n';

const NO_CONTENT =
	'was passed without its content; if n8n keeps files in memory, set N8N_DEFAULT_BINARY_DATA_MODE to filesystem and restart n8n, or enter the name of its binary property';

const MOVED =
	'cannot be read, because n8n moved it when the execution that received it ended; if this is a sub-workflow, retry the execution of its parent, or start it again';

const DELETED =
	'cannot be read, because n8n has deleted or moved it; run the workflow again from the node that provides the file';

const goneMessage = (id: string) => (ownerOf(id) === 'temp' ? MOVED : DELETED);

/**
 * Reads the beginning of each file of a post, and adds what is wrong with the files to its problems.
 * Nothing is signed.
 *
 * @param days for which links are valid
 */
export async function checkFiles(
	context: IExecuteFunctions,
	{ baseUrl }: Pick<Settings, 'baseUrl'>,
	post: PreparedPost,
	days: number,
): Promise<void> {
	const { files, problems } = post;
	if (files.length === 0) return;
	problems.push(...hostProblems(context, baseUrl, files));
	const media = files.filter(({ field }) => field === labels.media_urls);
	if (media.length > MAX_FILES) {
		const message = `has ${media.length} files; the photo platform accepts at most ${MAX_FILES}`;
		problems.push({ field: labels.media_urls, message });
		return;
	}
	const wait = ((post.publishAt ?? 0) - Date.now()) / (DAY_S * 1000);
	if (wait > days) {
		const needed = Math.ceil(wait);
		const advice =
			needed > MAX_LINK_DAYS
				? 'enter a public URL instead of the file'
				: `set 'File Link Validity (Days)' to ${needed}`;
		const message = `is after the links to the files expire (${days} days); choose an earlier time, or ${advice}`;
		problems.push({ field: labels.post_date, message });
	}
	for (const { file, field, place } of files) {
		const message =
			(await readFile(context, file)) ??
			fileProblem(file, post.body.type, field === labels.thumbnail);
		if (message) problems.push({ field, message: `${place}${message}` });
	}
}

/** Returns the settings of n8n that make files unreachable. */
function hostProblems(context: IExecuteFunctions, baseUrl: URL, files: PlacedFile[]): Issue[] {
	const [{ field } = { field: labels.media_urls }] = files;
	const url = context.getRestApiUrl();
	const found: Issue[] = [];
	const setting = settingToKeep(context);
	if (setting) {
		const message = `contains a file, but the workflow does not keep this execution, and n8n deletes the file with it; turn on '${setting}' in the workflow's settings`;
		found.push({ field, message });
	}
	if (isPrivate(url) && !isPrivate(baseUrl.href)) {
		const { origin } = new URL(url);
		const message = `contains a file, but the platform cannot reach this n8n at ${origin}; set n8n's variable N8N_WEBHOOK_URL (n8n 1: WEBHOOK_URL) to its public address`;
		found.push({ field, message });
	}
	return found;
}

/** The setting of the workflow because of which n8n may delete this execution when it ends. */
function settingToKeep(context: IExecuteFunctions): string | undefined {
	const { saveDataSuccessExecution, saveDataErrorExecution, saveManualExecutions } =
		context.getWorkflowSettings();
	if (context.getMode() === 'manual') {
		return saveManualExecutions === false ? 'Save manual executions' : undefined;
	}
	if (saveDataSuccessExecution === 'none') return 'Save successful production executions';
	// A later item or node may fail.
	return saveDataErrorExecution === 'none' ? 'Save failed production executions' : undefined;
}

/**
 * Reads the size and the first bytes of a file. A file whose content is in the item is stored first,
 * because n8n can link only to stored files.
 *
 * @returns why the file cannot be read
 */
async function readFile(context: IExecuteFunctions, file: MediaFile): Promise<string | undefined> {
	const { helpers } = context;
	const { id, data, fileName, mimeType } = file.binary;
	if (!id) {
		if (!data) return NO_CONTENT;
		const content = Buffer.from(data, 'base64');
		file.bytes = content.length;
		file.media = readMedia(content);
		if (content.length === 0) return undefined;
		const type = file.media ? mediaTypes[file.media.format] : mimeType;
		const stored = await helpers.prepareBinaryData(content, fileName, type);
		if (!stored.id) return NO_STORAGE;
		file.stored = stored;
		return undefined;
	}
	try {
		const metadata = await helpers.getBinaryMetadata(id);
		file.bytes = metadata.fileSize;
		file.servedType = metadata.mimeType;
		file.media = readMedia(await readHead(await helpers.getBinaryStream(id)));
		return undefined;
	} catch (error) {
		log(context, 'Cannot read a file', error);
		return goneMessage(id);
	}
}

/** Writes the reason to n8n's log, because only the operator of n8n can understand it. */
function log(context: IExecuteFunctions, what: string, error: unknown): void {
	context.logger.warn(`${what}: ${error instanceof Error ? error.message : String(error)}`);
}

/**
 * Stores a copy of each file to which no lasting link can lead: a file of another
 * execution, because n8n moves or deletes it with that execution, and a file with a wrong type, because
 * n8n sends its type with it.
 */
export async function storeFiles(
	context: IExecuteFunctions,
	{ files }: Pick<PreparedPost, 'files'>,
	name?: string,
): Promise<Failed | undefined> {
	const { helpers } = context;
	for (const { file } of files) {
		const { binary, media, servedType, stored } = file;
		const type = media ? mediaTypes[media.format] : servedType;
		const { id = '' } = binary;
		const isOwn = [undefined, context.getExecutionId()].includes(ownerOf(id));
		if (stored || (isOwn && type === servedType)) continue;
		try {
			const content = await helpers.getBinaryStream(id);
			file.stored = await helpers.prepareBinaryData(content, binary.fileName, type);
		} catch (error) {
			log(context, 'Cannot copy a file', error);
			return noLink(file, name);
		}
	}
	return undefined;
}

function noLink(file: MediaFile, name = 'the post'): Failed {
	const reason = `n8n could not create a link to the file '${file.name}'`;
	return notSent(name, reason, "Check n8n's log and its file storage, and retry.");
}

/**
 * Creates the links to the files of a post. Anyone who has a link can download its file.
 *
 * @param name how messages name the post; undefined if it is the only one
 * @param days for which the links are valid
 * @returns a request body with links in place of files, and the secrets in those links
 */
export async function linkFiles(
	context: IExecuteFunctions,
	name: string | undefined,
	{ body, files }: Pick<PreparedPost, 'body' | 'files'>,
	days: number,
) {
	const { helpers } = context;
	const urls = new Map<MediaFile, string>();
	for (const { file, field, place } of files) {
		const stored = (file.stored ?? file.binary) as IBinaryData & { id: string };
		try {
			await helpers.getBinaryMetadata(stored.id);
		} catch (error) {
			log(context, 'Cannot find a file', error);
			return invalid(name, [{ field, message: `${place}${goneMessage(stored.id)}` }]);
		}
		try {
			const url = helpers.createBinarySignedUrl(stored, `${days * DAY_S}s`);
			urls.set(file, `${url}&file=media.${extensionOf(file)}`);
		} catch (error) {
			log(context, 'Cannot create a link to a file', error);
			return noLink(file, name);
		}
	}
	const tokens = [...urls.values()].map((url) => new URL(url).searchParams.get('token') ?? '');
	return {
		body: replaceFiles(body, (file) => urls.get(file)),
		// A response may contain only a part of a token: its payload or its signature.
		secrets: tokens.flatMap((token) => [token, ...token.split('.').slice(1)]),
	};
}

/** Some platforms tell the type of a file by the end of its URL. */
function extensionOf({ media }: MediaFile): string {
	const others: Partial<Record<string, string>> = {
		JPEG: 'jpg',
		QuickTime: 'mov',
		Matroska: 'mkv',
	};
	return media ? (others[media.format] ?? media.format.toLowerCase()) : 'bin';
}
