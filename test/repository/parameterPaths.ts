import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

type Entry = INodeProperties | INodePropertyOptions | INodePropertyCollection;

/** Returns the paths of all parameters in a property. */
export function pathsOf(property: Entry, above = ''): string[] {
	const path = above + property.name;
	const inner = childrenOf(property);
	return inner.length ? inner.flatMap((entry) => pathsOf(entry, `${path}.`)) : [path];
}

function childrenOf(property: Entry): Entry[] {
	if ('values' in property) return property.values;
	return 'type' in property && /collection/i.test(property.type) ? (property.options ?? []) : [];
}

/** Returns the given properties and, after each of them, those inside it. */
export const allOf = (properties: Entry[]): INodeProperties[] =>
	properties.flatMap((one) => [one as INodeProperties, ...allOf(childrenOf(one))]);

/** Returns the values of the choices, or the modes, of a property. */
export function valuesOf(name: string, properties: INodeProperties[]) {
	const { options, modes } = allOf(properties).find((p) => p.name === name)!;
	return options?.map((o) => 'value' in o && o.value) ?? modes?.map((mode) => mode.name);
}

/** Returns the properties that are shown for a resource, including those shown for all resources. */
export const shownFor = (resource: string, properties: INodeProperties[]): INodeProperties[] =>
	properties.filter(
		({ displayOptions }) => displayOptions?.show?.resource?.includes(resource) ?? true,
	);
