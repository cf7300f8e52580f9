import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

type Entry = INodeProperties | INodePropertyOptions | INodePropertyCollection;

/** Returns the paths of all parameters in a property. */
export function pathsOf(property: Entry, above = ''): string[] {
	const path = above + property.name;
	const inner: Entry[] =
		'values' in property ? property.values : 'type' in property ? childrenOf(property) : [];
	return inner.length ? inner.flatMap((entry) => pathsOf(entry, `${path}.`)) : [path];
}

function childrenOf(property: INodeProperties): Entry[] {
	return /collection/i.test(property.type) ? (property.options ?? []) : [];
}

/** Returns the values of the choices of a property. */
export const valuesOf = (name: string, properties: INodeProperties[]) =>
	properties.find((p) => p.name === name)?.options?.map((o) => 'value' in o && o.value);

/** Returns the properties that are shown for a resource, including those shown for all resources. */
export const shownFor = (resource: string, properties: INodeProperties[]): INodeProperties[] =>
	properties.filter(
		({ displayOptions }) => displayOptions?.show?.resource?.includes(resource) ?? true,
	);
