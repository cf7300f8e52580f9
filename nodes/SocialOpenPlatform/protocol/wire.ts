import type { FieldNames } from './fieldNames';
import type { PostDraft } from './post';

/** Drops fields without a value and gives assumed names the names that the credential sets. */
function rename(fields: Record<string, unknown>, names: FieldNames): Record<string, unknown> {
	const wireNames = new Map(Object.entries(names));
	return Object.fromEntries<unknown>(
		Object.entries(fields)
			.filter(([, value]) => value !== undefined)
			.map(([name, value]) => [wireNames.get(name) ?? name, value]),
	);
}

/** Fields and options the interface does not list; they go out untouched, after the others. */
export interface FreeFields {
	body: Record<string, unknown>;
	exclusive: Record<string, unknown>;
}

/** The request as it goes out. An `exclusive` without options is left out. */
export function toWire(
	post: PostDraft,
	names: FieldNames,
	free: FreeFields,
): Record<string, unknown> {
	const options = { ...rename(post.exclusive ?? {}, names), ...free.exclusive };
	const exclusive = Object.keys(options).length > 0 ? options : undefined;
	return { ...rename({ ...post, exclusive }, names), ...free.body };
}
