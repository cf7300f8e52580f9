import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';
import { isPrivate } from '../../platform/connection';
import { type Failed, failed, type Issue } from '../../platform/outcome';
import { PUBLISH_AT } from '../fields';
import { filesOf, replaceFiles, type Post } from '../post';
import { MAX_LINK_DAYS } from '../sendingOptions';
import { MediaFile, readHead, readMedia, type FileFacts } from './formats';

const DAY_S = 24 * 3600;

/**
 * The execution to which a file belongs, in the ID of the file. It is `temp` for files from
 * webhooks, forms and chats, which n8n moves when the execution ends.
 */
const OWNER = /\/executions\/([^/]+)\//;

const NO_STORAGE =
	'cannot be posted, because n8n keeps files in memory; set N8N_DEFAULT_BINARY_DATA_MODE to filesystem and restart n8n';

const NO_CONTENT =
	'was passed without its content; if n8n keeps files in memory, set N8N_DEFAULT_BINARY_DATA_MODE to filesystem and restart n8n; otherwise, enter only its name, such as data';

const GONE =
	'cannot be read, because n8n has deleted or moved it; run the workflow again from the node that provides the file, or, if this is a sub-workflow, retry the execution of its parent';

/** Returns the reasons why the platform could not download any file of a post. */
export function hostIssues(
	context: IExecuteFunctions,
	{ media, values, options }: Post,
	isLocal: boolean,
): Issue[] {
	const [first] = filesOf(media);
	if (!first) return [];
	const { field } = first;
	const issues: Issue[] = [];
	const setting = settingToKeep(context);
	if (setting) {
		const message = `contains a file, but the workflow does not keep this execution, and n8n deletes the file with it; turn on '${setting}' in the workflow's settings`;
		issues.push({ field, message });
	}
	const url = context.getRestApiUrl();
	if (!isLocal && isPrivate(url)) {
		const message = `contains a file, but the platform cannot reach this n8n at ${new URL(url).origin}; set n8n's variable N8N_WEBHOOK_URL (n8n 1: WEBHOOK_URL) to its public address`;
		issues.push({ field, message });
	}
	const { fileLinkValidity: days } = options;
	const needed = (Date.parse(values.post_date ?? '') - Date.now()) / (DAY_S * 1000);
	if (needed > days) {
		const advice =
			needed > MAX_LINK_DAYS
				? 'enter a public URL instead of the file'
				: `set 'File Link Validity (Days)' to ${Math.ceil(needed)}`;
		const message = `is after the links to the files expire (${days} days); choose an earlier time, or ${advice}`;
		issues.push({ field: PUBLISH_AT, message });
	}
	return issues;
}

/** Returns the workflow setting that lets n8n delete this execution when it ends. */
function settingToKeep(context: IExecuteFunctions): string | undefined {
	const { saveDataSuccessExecution, saveDataErrorExecution, saveManualExecutions } =
		context.getWorkflowSettings();
	if (context.getMode() === 'manual') {
		return saveManualExecutions === false ? 'Save manual executions' : undefined;
	}
	if (saveDataSuccessExecution === 'none') return 'Save successful production executions';
	// A later item or node may fail, so n8n must keep failed executions, too.
	return saveDataErrorExecution === 'none' ? 'Save failed production executions' : undefined;
}

/** Reads files one after the other, because n8n may read each of them into memory as a whole. */
export async function readFiles(context: IExecuteFunctions, { media, found }: Post) {
	for (const { source } of filesOf(media)) found.set(source, await readFile(context, source));
}

/**
 * Reads the size and the first bytes of a file. A file whose content is in the item is stored first,
 * because n8n can link only to stored files. Two others need a copy before they get a link: a file of
 * another execution, because n8n moves or deletes it with that execution, and a file with a wrong
 * type, because n8n sends its type with it.
 */
async function readFile(context: IExecuteFunctions, { binary }: MediaFile): Promise<FileFacts> {
	const { helpers } = context;
	const { id, data, fileName, mimeType } = binary;
	if (!id) {
		if (!data) return { issue: NO_CONTENT };
		const content = Buffer.from(data, 'base64');
		const media = readMedia(content);
		const stored = await helpers.prepareBinaryData(content, fileName, media?.type ?? mimeType);
		return stored.id ? { bytes: content.length, media, stored } : { issue: NO_STORAGE };
	}
	try {
		const { fileSize, mimeType: served } = await helpers.getBinaryMetadata(id);
		const media = readMedia(await readHead(await helpers.getBinaryStream(id)));
		const isOwn = [undefined, context.getExecutionId()].includes(OWNER.exec(id)?.[1]);
		return {
			bytes: fileSize,
			media,
			stored: isOwn && media?.type === served ? binary : undefined,
		};
	} catch (error) {
		log(context, 'Cannot read a file', error);
		return { issue: GONE };
	}
}

/** Writes the reason to n8n's log, because only the operator of n8n can understand it. */
function log(context: IExecuteFunctions, what: string, error: unknown) {
	context.logger.warn(`${what}: ${String(error)}`);
}

/**
 * Copies the files of a checked post that need a copy. Each request then gets new links to the same
 * copies.
 */
export async function storeFiles({ helpers }: IExecuteFunctions, { media, found }: Post) {
	for (const { source: file } of filesOf(media)) {
		const facts = found.get(file);
		if (!facts?.media || facts.stored) continue;
		const { id = '', fileName } = file.binary;
		const content = await helpers.getBinaryStream(id);
		const stored = await helpers.prepareBinaryData(content, fileName, facts.media.type);
		found.set(file, { ...facts, stored });
	}
}

/**
 * Creates the links to the files of a post after {@link storeFiles}. Anyone who has a link can
 * download its file.
 *
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
	const secrets: string[] = [];
	for (const { source: file, field, place } of filesOf(media)) {
		const { media: read, stored } = found.get(file)!;
		const { id } = stored as { id: string };
		try {
			// n8n creates links to deleted files, too.
			await helpers.getBinaryMetadata(id);
			const url = helpers.createBinarySignedUrl(stored as IBinaryData, `${days * DAY_S}s`);
			// Some platforms tell the type of a file by the end of its URL.
			urls.set(file, `${url}&file=media.${read!.format.toLowerCase()}`);
			const token = new URL(url).searchParams.get('token') ?? '';
			// A response may contain only a part of a token: its payload or its signature.
			secrets.push(token, ...token.split('.').slice(1));
		} catch (error) {
			log(context, 'Cannot create a link to a file', error);
			return failed.invalid(name, [{ field, message: `${place}${GONE}` }]);
		}
	}
	return { body: replaceFiles(body, (file) => urls.get(file)), secrets };
}

/** A file as Validate shows it in place of its link. */
export function describeFile(file: MediaFile, { media, bytes }: FileFacts = {}): object {
	const { type, width, height } = { type: file.binary.mimeType, ...media };
	return { file: file.name, type, bytes, width, height };
}
