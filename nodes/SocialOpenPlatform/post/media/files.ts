import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { invalid, type Issue } from '../../items/parameters';
import {
	MediaFile,
	mediaTypes,
	readHead,
	readMedia,
	type FileFacts,
	type FoundMedia,
} from './formats';
import { fileIssue, isPrivate } from './limits';
import { notSent, type Failed } from '../../platform/outcome';
import { COVER, MEDIA, PUBLISH_AT } from '../fields';
import { MAX_LINK_DAYS } from '../sendingOptions';
import { filesOf, replaceFiles, type PlacedFile, type Post } from '../post';

const DAY_S = 24 * 3600;

/**
 * The execution to which a file belongs, in the ID of the file. It is `temp` for files from
 * webhooks, forms and chats, which n8n moves when the execution ends.
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

/** The media of a post after their check. */
export interface CheckedMedia {
	issues: Issue[];
	found: FoundMedia;
}

/**
 * Reads the beginning of each file of a post, and checks whether the platform can download it.
 * Nothing is signed.
 *
 * @param files the files and their places
 * @param days for which links are valid
 */
export async function checkFiles(
	context: IExecuteFunctions,
	baseUrl: URL,
	{ values }: Post,
	files: PlacedFile[],
	days: number,
): Promise<CheckedMedia> {
	const issues = hostIssues(context, baseUrl, files);
	const found = new Map<string | MediaFile, FileFacts>();
	const publishAt = Date.parse(values.post_date ?? '');
	const wait = (publishAt - Date.now()) / (DAY_S * 1000);
	if (wait > days) {
		const needed = Math.ceil(wait);
		const advice =
			needed > MAX_LINK_DAYS
				? 'enter a public URL instead of the file'
				: `set 'File Link Validity (Days)' to ${needed}`;
		const message = `is after the links to the files expire (${days} days); choose an earlier time, or ${advice}`;
		issues.push({ field: PUBLISH_AT, message });
	}
	for (const { source, field, place } of files) {
		const facts = await readFile(context, source);
		const message =
			typeof facts === 'string' ? facts : fileIssue(facts, values.type, field === COVER);
		if (typeof facts !== 'string') found.set(source, facts);
		if (message) issues.push({ field, message: `${place}${message}` });
	}
	return { issues, found };
}

/** Returns the settings of n8n that make files unreachable. */
function hostIssues(context: IExecuteFunctions, baseUrl: URL, files: PlacedFile[]) {
	const [{ field } = { field: MEDIA }] = files;
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
 * @returns the facts about the file, or why it cannot be read
 */
async function readFile(
	context: IExecuteFunctions,
	{ binary }: MediaFile,
): Promise<FileFacts | string> {
	const { helpers } = context;
	const { id, data, fileName, mimeType } = binary;
	if (!id) {
		if (!data) return NO_CONTENT;
		const content = Buffer.from(data, 'base64');
		const facts: FileFacts = { bytes: content.length, media: readMedia(content) };
		if (content.length === 0) return facts;
		const type = facts.media ? mediaTypes[facts.media.format] : mimeType;
		const stored = await helpers.prepareBinaryData(content, fileName, type);
		return stored.id ? { ...facts, stored } : NO_STORAGE;
	}
	try {
		const { fileSize, mimeType: servedType } = await helpers.getBinaryMetadata(id);
		const media = readMedia(await readHead(await helpers.getBinaryStream(id)));
		return { bytes: fileSize, media, servedType };
	} catch (error) {
		log(context, 'Cannot read a file', error);
		return goneMessage(id);
	}
}

/** Writes the reason to n8n's log, because only the operator of n8n can understand it. */
function log(context: IExecuteFunctions, what: string, error: unknown) {
	context.logger.warn(`${what}: ${error instanceof Error ? error.message : String(error)}`);
}

/**
 * Stores a copy of each file to which no lasting link can lead: a file of another
 * execution, because n8n moves or deletes it with that execution, and a file with a wrong type,
 * because n8n sends its type with it.
 *
 * @returns the facts with the copies
 */
export async function storeFiles(
	context: IExecuteFunctions,
	found: FoundMedia,
	name?: string,
): Promise<FoundMedia | Failed> {
	const { helpers } = context;
	const all = new Map(found);
	for (const [source, facts] of found) {
		const { media, servedType, stored } = facts;
		if (!(source instanceof MediaFile) || stored) continue;
		const { id = '', fileName } = source.binary;
		const type = media ? mediaTypes[media.format] : servedType;
		const isOwn = [undefined, context.getExecutionId()].includes(ownerOf(id));
		if (isOwn && type === servedType) continue;
		try {
			const content = await helpers.getBinaryStream(id);
			const copy = await helpers.prepareBinaryData(content, fileName, type);
			all.set(source, { ...facts, stored: copy });
		} catch (error) {
			log(context, 'Cannot copy a file', error);
			return noLink(source, name);
		}
	}
	return all;
}

function noLink(file: MediaFile, name = 'the post'): Failed {
	const reason = `n8n could not create a link to the file '${file.name}'`;
	return notSent(name, reason, "Check n8n's log and its file storage, and retry.");
}

/**
 * Creates the links to the files of a post. Anyone who has a link can download its file.
 *
 * @param name the name of the post in messages; undefined if it is the only one
 * @param days for which the links are valid
 * @returns a request body with links in place of files, and the secrets in those links
 */
export async function linkFiles(
	context: IExecuteFunctions,
	{ name, body, media, found }: Post,
	days: number,
): Promise<{ body: Record<string, unknown>; secrets: string[] } | Failed> {
	const { helpers } = context;
	const urls = new Map<MediaFile, string>();
	for (const { source: file, field, place } of filesOf(media)) {
		const facts = found.get(file) ?? {};
		const stored = (facts.stored ?? file.binary) as IBinaryData & { id: string };
		try {
			await helpers.getBinaryMetadata(stored.id);
		} catch (error) {
			log(context, 'Cannot find a file', error);
			return invalid(name, [{ field, message: `${place}${goneMessage(stored.id)}` }]);
		}
		try {
			const url = helpers.createBinarySignedUrl(stored, `${days * DAY_S}s`);
			urls.set(file, `${url}&file=media.${extensionOf(facts)}`);
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

/** A file as Validate shows it in place of its link. */
export function describeFile(file: MediaFile, { media, bytes }: FileFacts = {}): object {
	const type = media ? mediaTypes[media.format] : file.binary.mimeType;
	return { file: file.name, type, bytes, width: media?.width, height: media?.height };
}

/** Some platforms tell the type of a file by the end of its URL. */
function extensionOf({ media }: FileFacts) {
	const { format = 'bin' } = media ?? {};
	return format === 'QuickTime' ? 'mov' : format.toLowerCase();
}
