import { RECIPES } from '../emulator/webhook/recipe';
import { signedHeaders } from '../emulator/webhook/sign';
import { Load } from '../n8n/load';
import { percentile } from '../n8n/statistics';

/** Enough connections to keep n8n busy. */
const CONNECTIONS = 8;

/**
 * Of 100 deliveries, four repeat an earlier event, and one is forged with the ID of the next event, which
 * it must not block.
 */
function planned(index: number): [kind: 'genuine' | 'repeated' | 'forged', event: number] {
	if (index % 100 === 97) return ['forged', index + 1];
	return index % 25 === 24 ? ['repeated', index - 24] : ['genuine', index];
}

/** Creates a sender that counts the responses. */
export function senderTo(url: URL, appSecret: string) {
	/** The number of responses by kind, such as `genuine 200 accepted` or `forged 401 refused`. */
	const answers: Record<string, number> = {};
	/** The IDs of the genuine events. */
	const events: string[] = [];
	const latencies: number[] = [];
	const load = new Load(url.origin, CONNECTIONS);
	let next = 0;
	let seconds = 0;

	async function sendOne(index: number) {
		const [kind, event] = planned(index);
		const id = `evt_${event}`;
		if (kind === 'genuine') events.push(id);
		const body = JSON.stringify({ id, data: { action_sn: id, status: 'published' } });
		const secret = kind === 'forged' ? 'another secret' : appSecret;
		const signed = signedHeaders(RECIPES.body, { body, secret, timestamp: '', id, nonce: '' });
		const headers = { 'content-type': 'application/json', ...signed };
		const { status, text, ms } = await load.send({ path: url.pathname, headers, body });
		const { result = 'refused' } = JSON.parse(text) as { result?: string };
		latencies.push(ms);
		const answer = `${kind} ${status} ${result}`;
		answers[answer] = (answers[answer] ?? 0) + 1;
	}

	return {
		answers,
		events,
		/** Sends the next deliveries, several at a time. */
		async send(count: number) {
			const end = next + count;
			const started = performance.now();
			const connections = Array.from({ length: CONNECTIONS }, async () => {
				while (next < end) await sendOne(next++);
			});
			await Promise.all(connections);
			seconds += (performance.now() - started) / 1000;
		},
		/** Closes the connections, and returns the deliveries per second and the response time in ms. */
		async stop() {
			await load.stop();
			const perSecond = Math.round(latencies.length / seconds);
			return { perSecond, p99: Math.round(percentile(latencies, 0.99)) };
		},
	};
}
