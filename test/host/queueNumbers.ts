import { say } from '../n8n/progress';
import { saveNumbers } from './results';

const numbers: Record<string, unknown> = {};

/** Prints measurements, and saves them. */
export function measured(what: string, found: Record<string, unknown>): void {
	numbers[what] = found;
	const text = Object.entries(found).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
	say(`• ${what}: ${text.join(', ')}`);
	saveNumbers('queue', numbers);
}
