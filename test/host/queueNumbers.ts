import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './pack';
import { say } from './progress';

/** What was measured, on the terminal and as JSON. */

const numbers: Record<string, unknown> = {};

export function measured(what: string, found: Record<string, unknown>): void {
	numbers[what] = found;
	const text = Object.entries(found).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
	say(`• ${what}: ${text.join(', ')}`);
	const folder = join(root, '.host', 'results');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'queue.json'), JSON.stringify(numbers, null, '\t'));
}
