import type { IExecuteFunctions } from 'n8n-workflow';
import type { Settings } from '../../protocol/settings';
import { preparePost, type PreparedPost } from './create.request';
import type { ParameterReader } from '../../parameters/parameterReader';
import { readParameters } from './parameters';

/** Reads one item's post. */
export type PostReading = (itemIndex: number) => PreparedPost;

/** A reader of posts for one run: an item's fields, under the names that the credential gives them. */
export function postReading(
	this: IExecuteFunctions,
	{ fieldNames }: Settings,
	read: ParameterReader,
): PostReading {
	const timezone = this.getTimezone();
	const { parameters: raw } = this.getNode();
	return (itemIndex) =>
		preparePost(readParameters(read, itemIndex), { now: new Date(), timezone, fieldNames, raw });
}
