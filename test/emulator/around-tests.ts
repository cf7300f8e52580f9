import { startEmulator, type Emulator } from './index';
import type { EmulatorOptions } from './options';
import { TestClient } from './test-client';

/**
 * Starts an emulator and a client before the tests of the block it is called in, resets the emulator
 * before each, and stops both after them.
 *
 * @param assign takes the two, once they are there
 */
export function emulatorAroundTests(
	assign: (emulator: Emulator, client: TestClient) => void,
	options: EmulatorOptions = {},
): void {
	let emulator: Emulator;
	let client: TestClient;
	beforeAll(async () => {
		emulator = await startEmulator(options);
		client = new TestClient(emulator);
		assign(emulator, client);
	});
	beforeEach(() => emulator.reset());
	afterAll(async () => {
		await client.close();
		await emulator.stop();
	});
}
