import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeItemsPackage } from '../communityPackage';
import { N8n } from '../../n8n/n8n';
import { step } from '../../n8n/progress';
import { Setup } from '../../n8n/setup';
import { median } from '../statistics';
import { isTrial, type Report } from '../document';
import { digits, spread, table, times } from '../table';
import { BenchSetup, type Outcome, type Results } from './benchSetup';
import { type ContenderName, contenders } from './contenders';

const NEAR = ['ours5', 'ours10', 'http', 'loop10', 'nothing', 'baseline5', 'baseline10'] as const;
const DISTANT = ['ours5', 'ours10', 'ours20', 'ours50', 'http', 'baseline10'] as const;

const ROUND_TRIPS_MS = [0, 50, 150];

const scale = isTrial
	? { items: 40, rounds: 2, large: 300, largeRounds: 1, distant: 60, distantRounds: 1 }
	: { items: 500, rounds: 6, large: 5_000, largeRounds: 3, distant: 200, distantRounds: 2 };

/** Creates a private key and a certificate for 127.0.0.1 that is valid for a day. */
function createCertificate(folder: string) {
	const files = { key: join(folder, 'key.pem'), certificate: join(folder, 'certificate.pem') };
	const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
	const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
	const output = ['-days', '1', '-keyout', files.key, '-out', files.certificate];
	execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...output], { stdio: 'pipe' });
	return files;
}

type Measure = 'seconds' | 'cpuMs' | 'memoryMb' | 'peak';

const valuesOf = (results: Results, name: ContenderName, measure: Measure): number[] =>
	(results.get(name) ?? []).map((outcome) => outcome[measure]);

function rowOf(results: Results, name: ContenderName, items: number): string[] {
	const of = (measure: Measure) => valuesOf(results, name, measure);
	const baseline = name.endsWith('5') ? 'baseline5' : 'baseline10';
	return [
		contenders[name].title + (items === scale.items ? '' : `, ${items} posts`),
		spread(of('seconds')),
		name === 'nothing' ? '–' : times(of('seconds'), valuesOf(results, baseline, 'seconds')),
		digits(median(of('cpuMs')) / items),
		times(of('cpuMs'), valuesOf(results, 'http', 'cpuMs')),
		digits(median(of('memoryMb'))),
		String(Math.max(...of('peak'))),
	];
}

function resultsTable(near: Results, large: Results): string {
	const head = [`${scale.items} posts`, 'wall, s (range)', 'vs. baseline', 'CPU each, ms'];
	const more = ['vs. HTTP Request', 'memory, MB', 'connections'];
	const rows = [...near.keys()].map((name) => rowOf(near, name, scale.items));
	const largeRows = [...large.keys()].map((name) => rowOf(large, name, scale.large));
	return table([[...head, ...more], ...rows, ...largeRows]);
}

/** The posts per second of each contender by the distance of the platform. */
function distanceTable(distances: Results[]): string {
	const head = ['Posts per second, by round trip', ...ROUND_TRIPS_MS.map((ms) => `${ms} ms`)];
	const rows = DISTANT.map((name) => [
		contenders[name].title,
		...distances.map((results) =>
			digits(scale.distant / median(valuesOf(results, name, 'seconds'))),
		),
	]);
	return table([head, ...rows]);
}

const wrongRuns = (results: Results): string[] =>
	[...results].flatMap(([name, outcomes]: [ContenderName, Outcome[]]) =>
		outcomes.flatMap(({ errors }) => errors.map((error) => `${contenders[name].title}: ${error}`)),
	);

async function measureIn(setup: Setup, tls: ReturnType<typeof createCertificate>): Promise<Report> {
	const bench = await BenchSetup.open(setup, NEAR);
	// The first runs take 50 % more CPU time, because n8n's code is not compiled yet.
	await bench.rounds(scale.items, 1);
	const near = await bench.rounds(scale.items, scale.rounds);
	const large = await bench.rounds(scale.large, scale.largeRounds, ['ours10']);
	await bench.close();
	const distances: Results[] = [];
	for (const roundTripMs of ROUND_TRIPS_MS) {
		const distant = await BenchSetup.open(setup, DISTANT, { ...tls, roundTripMs });
		await distant.rounds(scale.distant, 1, ['ours50']);
		distances.push(await distant.rounds(scale.distant, scale.distantRounds));
		await distant.close();
	}
	return {
		tables: [resultsTable(near, large), '### Over TLS, at a distance', distanceTable(distances)],
		wrong: [near, large, ...distances].flatMap(wrongRuns),
	};
}

/** Measures runs with many posts in one n8n. */
export async function measurePosts(): Promise<Report> {
	const folder = mkdtempSync(join(tmpdir(), 'bench-tls-'));
	const tls = createCertificate(folder);
	const userFolder = N8n.makeUserFolder();
	placeItemsPackage(userFolder);
	const env = { NODE_EXTRA_CA_CERTS: tls.certificate };
	const setup = await step('Starting n8n', async () => await Setup.start({ userFolder, env }));
	try {
		return await measureIn(setup, tls);
	} finally {
		await setup.stop();
		rmSync(folder, { recursive: true });
	}
}
