import { FAULTS, type Fault, type FaultSpec } from './faults';
import type { Operation } from './routes';

const STRIKABLE: string[] = ['getAccessToken', 'createPost', 'chatCompletions', 'responses', 'any'];

type Pending = FaultSpec & { left: number };

/** The faults that wait for their requests, in the order in which they were added. */
export class FaultQueue {
	private pending: Pending[] = [];
	private randomState: number;

	constructor(private readonly seed: number) {
		this.randomState = seed;
	}

	/** Throws a TypeError for a kind, an operation or a rate that does not exist. */
	add(spec: FaultSpec): void {
		if (!Object.hasOwn(FAULTS, spec.kind)) throw new TypeError(`No such fault: '${spec.kind}'`);
		if (spec.operation !== undefined && !STRIKABLE.includes(spec.operation)) {
			throw new TypeError(`No such operation: '${spec.operation}'`);
		}
		if (spec.rate !== undefined && !(spec.rate >= 0 && spec.rate <= 1)) {
			throw new TypeError(`'rate' is not between 0 and 1: ${spec.rate}`);
		}
		this.pending.push({ ...spec, left: spec.rate === undefined ? (spec.times ?? 1) : Infinity });
	}

	/** The fault that strikes this request in this phase, used up by one. */
	take(operation: Operation, phase: Fault['phase']): FaultSpec | undefined {
		const hit = this.pending.find((fault) => this.strikes(fault, operation, phase));
		if (!hit) return undefined;
		hit.left -= 1;
		this.pending = this.pending.filter(({ left }) => left > 0);
		return hit;
	}

	list(): FaultSpec[] {
		return this.pending.map(({ left, ...spec }) => ({ ...spec, times: left }));
	}

	clear(): void {
		this.pending = [];
		this.randomState = this.seed;
	}

	private strikes(fault: Pending, operation: Operation, phase: Fault['phase']): boolean {
		const { phase: when, chatOnly }: Fault = FAULTS[fault.kind];
		const chat = operation === 'chatCompletions' || operation === 'responses';
		if (when !== phase || (chatOnly && !chat)) return false;
		if (fault.operation === undefined && operation === 'getAccessToken') return false;
		const meant = fault.operation ?? 'any';
		if (meant !== 'any' && meant !== operation) return false;
		return fault.rate === undefined || this.random() < fault.rate;
	}

	/** mulberry32: small, deterministic, good enough to spread faults. */
	private random(): number {
		this.randomState = (this.randomState + 0x6d2b79f5) | 0;
		let t = Math.imul(this.randomState ^ (this.randomState >>> 15), 1 | this.randomState);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	}
}
