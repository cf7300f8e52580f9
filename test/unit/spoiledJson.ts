import fc from 'fast-check';

type Fields = Record<string, unknown>;

/** Every place in a value, as the object that holds it and the key there. */
function placesIn(value: unknown): Array<[Fields, string]> {
	if (typeof value !== 'object' || value === null) return [];
	return Object.keys(value).flatMap((key): Array<[Fields, string]> => {
		const fields = value as Fields;
		return [[fields, key], ...placesIn(fields[key])];
	});
}

/** One of these objects, with any JSON in some of its places, or nothing at all. */
export function spoiledJson(objects: Fields[]): fc.Arbitrary<Fields> {
	const other = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
	const changes = fc.array(fc.tuple(fc.nat(), other), { maxLength: 4 });
	return fc.tuple(fc.constantFrom(...objects), changes).map(([object, all]) => {
		const spoiled = structuredClone(object);
		for (const [number, value] of all) {
			const places = placesIn(spoiled);
			const place = places[number % places.length];
			if (place) place[0][place[1]] = value;
		}
		return spoiled;
	});
}
