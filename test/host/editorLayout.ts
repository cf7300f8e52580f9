import type { Box, Note } from './editorCanvas';

const overlap = (one: Box, other: Box): boolean =>
	one.left < other.right &&
	other.left < one.right &&
	one.top < other.bottom &&
	other.top < one.bottom;

/** Reports nodes and notes that overlap, and notes whose text does not fit. */
export function unreadable(nodes: Box[], notes: Note[]): string[] {
	const all: Box[] = [...nodes, ...notes];
	const overlapping = all.flatMap((one, index) =>
		all
			.slice(index + 1)
			.filter((other) => overlap(one, other))
			.map((other) => `${one.name} and ${other.name} overlap`),
	);
	const cut = notes.filter(({ isCut }) => isCut).map(({ name }) => `${name} is cut off`);
	return [...overlapping, ...cut];
}
