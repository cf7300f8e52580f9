import type { Item } from './postFlow';
import type { Rest } from '../n8n/rest';

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

/** The value of a property with all options added. A list has one row. */
function valueOf({ type, options = [], default: value }: Property): unknown {
	if (type === 'collection') return defaultsOf(options);
	if (type !== 'fixedCollection') return value;
	return Object.fromEntries(options.map(({ name, values = [] }) => [name, [defaultsOf(values)]]));
}

/** Whether a property is shown for these parameters. Parameters that are left out do not matter. */
const isShown = (parameters: Item, { displayOptions }: Property): boolean =>
	Object.entries(displayOptions?.show ?? {}).every(
		([name, values]) => !(name in parameters) || values.includes(parameters[name]),
	);

/** Adds every option of every collection to the parameters, as this n8n has loaded the node. */
export async function everyOption(rest: Rest, type: string, parameters: Item): Promise<Item> {
	const types = await rest.call<NodeType[]>('GET', '/types/nodes.json');
	const { properties } = types.find(({ name }) => name === type)!;
	const collections = properties.filter(
		(property) => /collection/i.test(property.type) && isShown(parameters, property),
	);
	return { ...defaultsOf(collections), ...parameters };
}
