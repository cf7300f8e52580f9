import type { Item } from './postFlow';
import type { Rest } from '../n8n/rest';

/** Nodes with every field of every collection shown, for a look at the room their labels have. */

interface Property {
	name: string;
	type: string;
	default: unknown;
	displayOptions?: { show?: Record<string, unknown[]> };
	options?: Property[];
	values?: Property[];
}

interface NodeType {
	name: string;
	properties: Property[];
}

const defaultsOf = (properties: Property[]): Item =>
	Object.fromEntries(properties.map((property) => [property.name, valueOf(property)]));

/** What a property holds once everything below it was added; a collection of rows has one. */
function valueOf({ type, options = [], default: value }: Property): unknown {
	if (type === 'collection') return defaultsOf(options);
	if (type !== 'fixedCollection') return value;
	return Object.fromEntries(options.map(({ name, values = [] }) => [name, [defaultsOf(values)]]));
}

/** Whether a property is for these parameters; one that they leave out may have any value. */
const isFor = (parameters: Item, { displayOptions }: Property): boolean =>
	Object.entries(displayOptions?.show ?? {}).every(
		([name, values]) => !(name in parameters) || values.includes(parameters[name]),
	);

/** These parameters, and all that the collections beside them offer, as this n8n has loaded it. */
export async function everyOption(rest: Rest, type: string, parameters: Item): Promise<Item> {
	const types = await rest.call<NodeType[]>('GET', '/types/nodes.json');
	const { properties } = types.find(({ name }) => name === type)!;
	const collections = properties.filter(
		(property) => /collection/i.test(property.type) && isFor(parameters, property),
	);
	return { ...defaultsOf(collections), ...parameters };
}
