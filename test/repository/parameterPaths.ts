import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

type Entry = INodeProperties | INodePropertyOptions | INodePropertyCollection;

/** Every parameter below a property, as a path of names. */
export function pathsOf(property: Entry, above = ''): string[] {
	const path = above + property.name;
	const inner: Entry[] =
		'values' in property ? property.values : 'type' in property ? childrenOf(property) : [];
	return inner.length ? inner.flatMap((entry) => pathsOf(entry, `${path}.`)) : [path];
}

function childrenOf(property: INodeProperties): Entry[] {
	return /collection/i.test(property.type) ? (property.options ?? []) : [];
}

/** The values that a property offers. */
export const valuesOf = (name: string, properties: INodeProperties[]) =>
	properties.find((p) => p.name === name)?.options?.map((o) => 'value' in o && o.value);

/** Those that are shown for a resource, or for all of them. */
export const shownFor = (resource: string, properties: INodeProperties[]): INodeProperties[] =>
	properties.filter(
		({ displayOptions }) => displayOptions?.show?.resource?.includes(resource) ?? true,
	);
