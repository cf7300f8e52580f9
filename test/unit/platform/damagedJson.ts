import fc from 'fast-check';

type Fields = Record<string, unknown>;

/** One of these objects, in which up to four values are replaced by other JSON or removed. */
export function damagedJson(objects: Fields[]): fc.Arbitrary<Fields> {
	const other = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constant(undefined));
	const changes = fc.array(fc.tuple(fc.nat(30), other), { maxLength: 4 });
	return fc.tuple(fc.constantFrom(...objects), changes).map(([object, all]) => {
		const changed = new Map(all);
		let index = 0;
		return JSON.parse(JSON.stringify(object), (key, value: unknown) => {
			const isChanged = key !== '' && changed.has(++index);
			return isChanged ? changed.get(index) : value;
		}) as Fields;
	});
}
