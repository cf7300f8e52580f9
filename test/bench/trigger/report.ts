import { median, percentile, ratio } from '../../n8n/statistics';
import { digits, table } from '../table';
import type { Figures, Measurement } from './measure';

const HEAD = ['per second (lowest to highest round)', 'CPU of n8n each, ms', 'wrong answers'];

function common({ perSecond, cpuMs, complaints }: Figures): string[] {
	const [low, high] = [Math.min(...perSecond), Math.max(...perSecond)].map(digits);
	const rate = `${digits(median(perSecond))} (${low} to ${high})`;
	return [rate, digits(median(cpuMs)), String(complaints.length)];
}

const against = (figures: Figures, other: Figures | undefined): string =>
	other ? `${digits(ratio(figures.perSecond, other.perSecond))} ×` : '–';

function acceptedTable({ accepted, account }: Measurement): string {
	const [floor, bare] = [accepted.get('floor'), accepted.get('bare')];
	const rows = [...accepted].map(([name, figures]) => {
		const { title = '', given = 0, executed = 0 } = account.get(name) ?? {};
		const [rate = '', ...more] = common(figures);
		const latencies = [0.5, 0.95].map((share) => digits(percentile(figures.latencies, share)));
		const ratios = [against(figures, floor), against(figures, bare)];
		return [title, rate, ...ratios, ...latencies, ...more, `${executed} of ${given}`];
	});
	const [rate = '', ...more] = HEAD;
	const ratios = ['against the one that does nothing', 'against Webhook'];
	const head = ['Accepted', rate, ...ratios, 'p50, ms', 'p95, ms', ...more, 'executed'];
	return table([head, ...rows]);
}

function refusedTable({ accepted, refused, account }: Measurement): string {
	const rows = [...refused].map(([name, figures]) => {
		const { title = '' } = account.get(name) ?? {};
		const [rate = '', ...more] = common(figures);
		const sameKind = accepted.get(name === 'refuser' ? 'floorWithCredential' : name);
		return [title, rate, against(figures, sameKind), ...more];
	});
	const [rate = '', ...more] = HEAD;
	return table([['Wrong signature', rate, 'against accepted', ...more], ...rows]);
}

/** The tables of one engine, as Markdown. */
export const tables = (measurement: Measurement): string =>
	[
		`### With ${measurement.engine.title}`,
		acceptedTable(measurement),
		refusedTable(measurement),
	].join('\n\n');

/** What did not go as it should: wrong answers, and executions that are missing or too many. */
export function troubles({ engine, accepted, refused, account }: Measurement): string[] {
	const answers = [...accepted.values(), ...refused.values()].flatMap(({ lane, complaints }) =>
		complaints.length === 0
			? []
			: `${complaints.length} wrong answers from '${lane.contender}', such as ${complaints[0]}`,
	);
	const runs = [...account.values()]
		.filter(({ given, executed }) => given !== executed)
		.map(({ title, given, executed }) => `${title}: ${executed} executions of ${given} deliveries`);
	return [...answers, ...runs].map((trouble) => `With ${engine.title}: ${trouble}`);
}
