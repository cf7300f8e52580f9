import { startEmulator, type Emulator } from './index';
import type { EmulatorOptions } from './options';
import { TestClient } from './test-client';

/**
 * Starts an emulator and a client before the tests of a describe block, resets the emulator before each
 * test, and stops both after the tests.
 *
 * @param assign receives the emulator and the client when they are ready
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
