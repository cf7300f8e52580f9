import { median, percentile, ratio } from '../../n8n/statistics';
import { digits, table } from '../table';
import type { Figures, Measurement } from './measure';

const HEAD = ['per second (lowest to highest round)', 'CPU time each, ms', 'wrong responses'];

function common({ perSecond, cpuMs, errors }: Figures): string[] {
	const [low, high] = [Math.min(...perSecond), Math.max(...perSecond)].map(digits);
	const rate = `${digits(median(perSecond))} (${low} to ${high})`;
	return [rate, digits(median(cpuMs)), String(errors.length)];
}

const against = (figures: Figures, other: Figures | undefined): string =>
	other ? `${digits(ratio(figures.perSecond, other.perSecond))} ×` : '–';

function acceptedTable({ accepted, account }: Measurement): string {
	const [baseline, bare] = [accepted.get('baseline'), accepted.get('bare')];
	const rows = [...accepted].map(([name, figures]) => {
		const { title = '', given = 0, executed = 0 } = account.get(name) ?? {};
		const [rate = '', ...more] = common(figures);
		const latencies = [0.5, 0.95].map((share) => digits(percentile(figures.latencies, share)));
		const ratios = [against(figures, baseline), against(figures, bare)];
		return [title, rate, ...ratios, ...latencies, ...more, `${executed} of ${given}`];
	});
	const [rate = '', ...more] = HEAD;
	const ratios = ['compared with doing nothing', 'compared with Webhook'];
	const head = ['Accepted', rate, ...ratios, 'p50, ms', 'p95, ms', ...more, 'executed'];
	return table([head, ...rows]);
}

function refusedTable({ accepted, refused, account }: Measurement): string {
	const rows = [...refused].map(([name, figures]) => {
		const { title = '' } = account.get(name) ?? {};
		const [rate = '', ...more] = common(figures);
		const sameKind = accepted.get(name === 'refuser' ? 'baselineWithCredential' : name);
		return [title, rate, against(figures, sameKind), ...more];
	});
	const [rate = '', ...more] = HEAD;
	return table([['Wrong signature', rate, 'compared with accepted', ...more], ...rows]);
}

/** The results with an expression engine, as Markdown tables. */
export const tables = (measurement: Measurement): string =>
	[
		`### With ${measurement.engine.title}`,
		acceptedTable(measurement),
		refusedTable(measurement),
	].join('\n\n');

/** Reports wrong responses, and missing or additional executions. */
export function wrongResults({ engine, accepted, refused, account }: Measurement): string[] {
	const answers = [...accepted.values(), ...refused.values()].flatMap(({ scenario, errors }) =>
		errors.length === 0
			? []
			: `${errors.length} wrong responses from '${scenario.contender}', such as ${errors[0]}`,
	);
	const runs = [...account.values()]
		.filter(({ given, executed }) => given !== executed)
		.map(({ title, given, executed }) => `${title}: ${executed} executions of ${given} deliveries`);
	return [...answers, ...runs].map((error) => `With ${engine.title}: ${error}`);
}
