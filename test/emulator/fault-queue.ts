import { FAULTS, type FaultEffect, type FaultMix, type FaultScope, type FaultSpec } from './faults';
import type { ReceivedRequest } from './request-record';
import { isChat } from './routes';

type Phase = 'before' | 'after';

type Pending = (FaultSpec | FaultMix) & { left: number };

/** The parts of a request that decide which fault applies. */
type Target = Pick<ReceivedRequest, 'operation' | 'rawBody' | 'body'>;

/** The faults for future requests, in the order in which they were added. */
export class FaultQueue {
	private pending: Pending[] = [];
	private randomState: number;
	/** For a request, the fault that was chosen at random and applies in a later phase. */
	private readonly chosen = new WeakMap<Target, FaultEffect>();

	constructor(private readonly seed: number) {
		this.randomState = seed;
	}

	add(fault: FaultSpec | FaultMix): void {
		const { rate, times = 1 } = fault;
		this.pending.push({ ...fault, left: rate === undefined ? times : Infinity });
	}

	/** Returns the effect for a request in a phase, and counts down its fault. */
	take(request: Target, phase: Phase): FaultEffect | undefined {
		const decided = this.chosen.get(request);
		if (decided) return decided;
		const hit = this.pending.find((fault) => this.matches(fault, request, phase));
		if (!hit) return undefined;
		hit.left -= 1;
		this.pending = this.pending.filter(({ left }) => left > 0);
		if (!('oneOf' in hit)) return hit;
		const effects = hit.oneOf.filter(({ kind }) => canApply(kind, request));
		const effect = effects[Math.floor(this.random() * effects.length)]!;
		if (phaseOf(effect) === phase) return effect;
		this.chosen.set(request, effect);
		return undefined;
	}

	clear(): void {
		this.pending = [];
		this.randomState = this.seed;
	}

	private matches(fault: Pending, request: Target, phase: Phase): boolean {
		const { operation, rawBody } = request;
		const when = 'oneOf' in fault ? 'before' : phaseOf(fault);
		if (when !== phase) return false;
		if (!effectsOf(fault).some(({ kind }) => canApply(kind, request))) return false;
		if (fault.operation === undefined && operation === 'getAccessToken') return false;
		const target = fault.operation ?? 'any';
		if (target !== 'any' && target !== operation) return false;
		if (!rawBody.includes(fault.bodyHas ?? '')) return false;
		return fault.rate === undefined || this.random() < fault.rate;
	}

	/** Returns the next number of the generator mulberry32, which is small and deterministic. */
	private random(): number {
		this.randomState = (this.randomState + 0x6d2b79f5) | 0;
		let t = Math.imul(this.randomState ^ (this.randomState >>> 15), 1 | this.randomState);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
	}
}

function effectsOf(fault: FaultSpec | FaultMix): FaultEffect[] {
	return 'oneOf' in fault ? fault.oneOf : [fault];
}

const phaseOf = ({ kind }: FaultEffect): Phase => (FAULTS[kind] === 'before' ? 'before' : 'after');

function canApply(kind: FaultEffect['kind'], { operation, body }: Target): boolean {
	const scope: FaultScope = FAULTS[kind];
	if (scope === 'stream') return (body as { stream?: unknown } | undefined)?.stream === true;
	return scope !== 'chat' || isChat(operation);
}
