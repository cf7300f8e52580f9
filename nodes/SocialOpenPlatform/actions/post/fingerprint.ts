import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Settings } from '../../protocol/settings';
import { urlOf } from '../../protocol/endpoints';
import type { PostIdentity } from '../ledger';
import { postFields } from './parameters';

/** Characters of a digest that are kept: 132 bits. */
const LENGTH = 22;

function digestOf(...texts: string[]): string {
	const hash = createHash('sha256');
	for (const text of texts) hash.update(`${text.length}:${text}`);
	return hash.digest('base64url').slice(0, LENGTH);
}

/** Tells the posts of one run from others, by what is sent and by where it comes from. */
export type Fingerprint = (itemIndex: number, body: object) => PostIdentity;

/** A time that the node's own expression gives, not the agent that calls it. */
function isOwnTime(publishAt: unknown): boolean {
	return (
		typeof publishAt === 'string' && publishAt.startsWith('=') && !publishAt.includes('$fromAI')
	);
}

/**
 * A post's digest is taken of the request: address, application and body. Its origin is taken of the
 * node's own fields, expressions unresolved, and the input item: where an expression gives another
 * value on every try, as `$now` does, it is the same post all the same. The input of an AI agent's tool
 * is not all that its expressions see, so the digest alone counts there, but for such a time.
 */
export function fingerprinter(
	this: IExecuteFunctions,
	settings: Settings,
	inTool: boolean,
): Fingerprint {
	const target = [urlOf('createPost', settings), settings.appId];
	const { parameters } = this.getNode();
	const fields = JSON.stringify(postFields.map((name) => parameters[name] ?? null));
	const isTimeless = inTool && isOwnTime(parameters.publishAt);
	const items = this.getInputData();
	return (itemIndex, body) => {
		const request = JSON.stringify(isTimeless ? { ...body, post_date: '' } : body);
		const item = JSON.stringify(items[itemIndex]?.json ?? {});
		return {
			itemIndex,
			digest: digestOf(...target, request),
			origin: digestOf(...target, fields, item),
		};
	};
}
