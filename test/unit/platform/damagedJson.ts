import fc from 'fast-check';

type Fields = Record<string, unknown>;

/** Returns every property in a value, as its object and its key. */
function propertiesIn(value: unknown): Array<[Fields, string]> {
	if (typeof value !== 'object' || value === null) return [];
	return Object.keys(value).flatMap((key): Array<[Fields, string]> => {
		const fields = value as Fields;
		return [[fields, key], ...propertiesIn(fields[key])];
	});
}

/** One of these objects, in which up to four properties are replaced by other JSON or undefined. */
export function damagedJson(objects: Fields[]): fc.Arbitrary<Fields> {
	const other = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
	const changes = fc.array(fc.tuple(fc.nat(), other), { maxLength: 4 });
	return fc.tuple(fc.constantFrom(...objects), changes).map(([object, all]) => {
		const damaged = structuredClone(object);
		for (const [number, value] of all) {
			const properties = propertiesIn(damaged);
			const property = properties[number % properties.length];
			if (property) property[0][property[1]] = value;
		}
		return damaged;
	});
}
