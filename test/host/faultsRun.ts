import { randomBytes } from 'node:crypto';
import { type Emulator, type EmulatorOptions, type FaultMix, startEmulator } from '../emulator';
import type { Execution } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { given, manual, post, row } from '../n8n/workflows';

/** A workflow that creates posts on a separate platform. */
export interface Scenario {
	name: string;
	/** The number of items in one run. */
	items: number;
	platform?: EmulatorOptions;
	faults?: FaultMix[];
	/** Options of the node besides 10 concurrent requests. */
	options?: Record<string, unknown>;
	/** Settings of the node, such as *On Error*. */
	settings?: Record<string, unknown>;
}

export interface ScenarioResult {
	emulator: Emulator;
	/** The last execution. */
	execution: Execution;
	/** All data that n8n stores of it and of the executions that it retries. */
	stored: string;
	/** The text of each post. None is the beginning of another. */
	texts: string[];
	/** How often the execution was retried from the list. */
	retries: number;
	seconds: number;
}

/** The timeout of a request, which is longer than the platform takes even on a busy machine. */
const TIMEOUT_S = 8;

const EXECUTION_TIMEOUT_MS = 280_000;

/** The maximum in n8n. */
export const MAX_ATTEMPTS = 5;

const retrySettings = { retryOnFail: true, maxTries: MAX_ATTEMPTS, waitBetweenTries: 50 };

const fields = { text: '={{ $json.text }}', mediaUrls: ['={{ $json.picture }}'] };

export async function runScenario(
	setup: Setup,
	{ name, items, ...how }: Scenario,
): Promise<ScenarioResult> {
	const started = Date.now();
	const appSecret = randomBytes(24).toString('base64');
	const emulator = await startEmulator({ appSecret, ...how.platform });
	how.faults?.forEach((fault) => emulator.fault(fault));
	const { url: baseUrl, appId } = emulator;
	const credential = await setup.credential(name, { baseUrl, appId, appSecret });
	const options = { timeout: TIMEOUT_S, maxConcurrentRequests: 10, ...how.options };
	const node = post(credential, { ...fields, options }, { ...retrySettings, ...how.settings });
	const texts = Array.from({ length: items }, (_, item) => `Post ${item} of ${name}.`);
	const list = texts.map((text) => ({ text, picture: 'https://example.com/a.jpg' }));
	const { id } = await setup.rest.createWorkflow(given(row(name, manual(), node), ...list));
	const executionId = await setup.rest.start(id, 'Start');
	const execution = await setup.rest.finished(executionId, EXECUTION_TIMEOUT_MS);
	const { raw: stored } = execution;
	return { emulator, execution, stored, texts, retries: 0, seconds: secondsSince(started) };
}

const MAX_RETRIES = 20;

/** Runs a scenario, and retries the execution until a retry sends no more requests. */
export async function runAndRetry(setup: Setup, scenario: Scenario): Promise<ScenarioResult> {
	const started = Date.now();
	const result = await runScenario(setup, scenario);
	let { execution, stored, retries } = result;
	let sent = -1;
	const continues = () => execution.status === 'error' && result.emulator.received.length > sent;
	while (continues() && retries < MAX_RETRIES) {
		sent = result.emulator.received.length;
		execution = await setup.rest.retry(execution.id);
		stored += execution.raw;
		retries++;
	}
	return { ...result, execution, stored, retries, seconds: secondsSince(started) };
}

const secondsSince = (started: number): number => Math.round((Date.now() - started) / 1000);

/** Runs a limited number of tasks at the same time. */
export function atOnce(most: number) {
	let free = most;
	const waiting: Array<() => void> = [];
	return async <T>(task: () => Promise<T>): Promise<T> => {
		if (free > 0) free--;
		else await new Promise<void>((resolve) => waiting.push(resolve));
		try {
			return await task();
		} finally {
			const next = waiting.shift();
			if (next) next();
			else free++;
		}
	};
}
