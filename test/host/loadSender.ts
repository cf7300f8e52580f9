import { Load } from '../n8n/load';
import { percentile } from '../n8n/statistics';
import { requestOf, type Kind, type Planned } from './loadMix';

/** Enough connections to keep n8n busy. */
const CONNECTIONS = 8;

/** The number of responses by kind, such as `genuine 200 accepted` or `forged 401 refused`. */
export type Answers = Record<string, number>;

export class Sender {
	readonly answers: Answers = {};

	/** The number of deliveries of each event that were accepted. */
	readonly accepted = new Map<string, number>();

	/** The response times in milliseconds. */
	readonly latencies: number[] = [];

	private readonly load: Load;

	constructor(
		url: string,
		private readonly path: string,
		private readonly appSecret: string,
	) {
		this.load = new Load(url, CONNECTIONS);
	}

	/** Sends deliveries in order, several at a time. Returns the duration in seconds. */
	async send(list: Planned[]): Promise<number> {
		const started = performance.now();
		const left = list.values();
		const connection = async () => {
			for (const one of left) await this.sendOne(one);
		};
		await Promise.all(Array.from({ length: CONNECTIONS }, connection));
		return (performance.now() - started) / 1000;
	}

	summary(seconds: number): Record<string, number> {
		const [p50, p99] = [0.5, 0.99].map((share) => Math.round(percentile(this.latencies, share)));
		const perSecond = Math.round(this.latencies.length / seconds);
		return { perSecond, p50: p50!, p99: p99!, slowest: Math.round(Math.max(...this.latencies)) };
	}

	async stop(): Promise<void> {
		await this.load.stop();
	}

	private async sendOne(one: Planned): Promise<void> {
		const { status, text, ms } = await this.load.send({
			path: this.path,
			...requestOf(one, this.appSecret),
		});
		const { result = 'refused' } = JSON.parse(text) as { result?: string };
		this.latencies.push(ms);
		this.count(one.kind, status, result);
		if (status !== 200 || result !== 'accepted') return;
		this.accepted.set(one.event, (this.accepted.get(one.event) ?? 0) + 1);
	}

	private count(kind: Kind, status: number, result: string): void {
		const answer = `${kind} ${status} ${result}`;
		this.answers[answer] = (this.answers[answer] ?? 0) + 1;
	}
}
