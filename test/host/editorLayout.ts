import type { Box, Note } from './editorCanvas';

/** What on a canvas cannot be read, because something else covers it. */

const meet = (one: Box, other: Box): boolean =>
	one.left < other.right &&
	other.left < one.right &&
	one.top < other.bottom &&
	other.top < one.bottom;

/** Nodes and notes that lie on each other, and notes whose text is longer than they are. */
export function unreadable(nodes: Box[], notes: Note[]): string[] {
	const all: Box[] = [...nodes, ...notes];
	const covered = all.flatMap((one, index) =>
		all
			.slice(index + 1)
			.filter((other) => meet(one, other))
			.map((other) => `${one.name} and ${other.name} cover each other`),
	);
	const cut = notes.filter(({ isCut }) => isCut).map(({ name }) => `${name} is cut off`);
	return [...covered, ...cut];
}
