import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

type Entry = INodeProperties | INodePropertyOptions | INodePropertyCollection;

/** The paths of all parameters within a property. */
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

/** The properties that are shown for a resource, or for all resources. */
export const shownFor = (resource: string, properties: INodeProperties[]): INodeProperties[] =>
	properties.filter(
		({ displayOptions }) => displayOptions?.show?.resource?.includes(resource) ?? true,
	);
