import { say } from '../n8n/progress';
import { keepNumbers } from './results';

/** Prints the measurements, and writes them as JSON. */

const numbers: Record<string, unknown> = {};

export function measured(what: string, found: Record<string, unknown>): void {
	numbers[what] = found;
	const text = Object.entries(found).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
	say(`• ${what}: ${text.join(', ')}`);
	keepNumbers('queue', numbers);
}
