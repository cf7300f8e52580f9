import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';
import type { Settings } from '../../protocol/settings';
import { urlOf } from '../../protocol/endpoints';
import type { PostIdentity } from '../ledger';

/** Characters of a digest that are kept: 132 bits. */
const LENGTH = 22;

function digestOf(...texts: string[]): string {
	const hash = createHash('sha256');
	for (const text of texts) hash.update(`${text.length}:${text}`);
	return hash.digest('base64url').slice(0, LENGTH);
}

/** Tells the posts of one run from others, by what is sent and by where it comes from. */
export type Fingerprint = (itemIndex: number, body: object) => PostIdentity;

/**
 * A post's digest is taken of the request: address, application and body. Its origin is taken of the
 * node's own settings, expressions unresolved, and the input item: where an expression gives another
 * value on every try, as `$now` does, it is the same post all the same.
 */
export function fingerprinter(this: IExecuteFunctions, settings: Settings): Fingerprint {
	const address = urlOf('createPost', settings);
	const node = digestOf(JSON.stringify(this.getNode().parameters));
	const items = this.getInputData();
	return (itemIndex, body) => {
		const request = JSON.stringify(body);
		const item = JSON.stringify(items[itemIndex]?.json ?? {});
		return {
			itemIndex,
			digest: digestOf(address, settings.appId, request),
			origin: digestOf(node, item),
		};
	};
}
