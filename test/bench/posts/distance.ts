import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROUTES } from '../../emulator';
import type { Setup } from '../../n8n/setup';
import { median } from '../../n8n/statistics';
import { loadFor } from './baseline';
import { BenchSetup } from './benchSetup';
import type { ContenderName } from './contenders';
import { makeItems } from './items';
import type { Distance, Platform } from './platform';
import { runRounds, type Results } from './rounds';
import { scale } from './scale';

const ROUND_TRIPS_MS = [0, 50, 150];

/** This node by its limit of connections. */
export const DISTANT_WIDTHS = { 5: 'ready5', 10: 'ready10', 20: 'ready20', 50: 'ready50' } as const;

export const DISTANT_CONTENDERS: ContenderName[] = [
	...Object.values(DISTANT_WIDTHS),
	...(['plain', 'loop10', 'baseline10'] as const),
];

export interface DistantResults {
	roundTripMs: number;
	/** Milliseconds for a request on a new connection, and on the same connection afterwards. */
	measured: { fresh: number; kept: number };
	results: Results;
}

export type Certificate = Pick<Distance, 'key' | 'certificate'>;

/** Creates a private key and a certificate for 127.0.0.1 that is valid for a day. */
export function createCertificate(): Certificate {
	const folder = mkdtempSync(join(tmpdir(), 'bench-tls-'));
	const files = { key: join(folder, 'key.pem'), certificate: join(folder, 'certificate.pem') };
	const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
	const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
	const output = ['-days', '1', '-keyout', files.key, '-out', files.certificate];
	execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...output], { stdio: 'pipe' });
	return files;
}

/** Measures requests that the platform responds to at once, to check the emulated round trip. */
async function measureRequests(platform: Platform): Promise<DistantResults['measured']> {
	const request = { path: ROUTES.reset.path, headers: {}, body: '' };
	const [fresh, kept]: [number[], number[]] = [[], []];
	for (let tries = 0; tries < 10; tries++) {
		const load = loadFor(platform, 1);
		fresh.push((await load.send(request)).ms);
		kept.push((await load.send(request)).ms);
		await load.stop();
	}
	return { fresh: median(fresh), kept: median(kept) };
}

/** Posts over TLS to platforms at several distances. */
export async function runDistant(
	setup: Setup,
	latencyMs: number,
	certificate: Certificate,
): Promise<DistantResults[]> {
	const all: DistantResults[] = [];
	for (const roundTripMs of ROUND_TRIPS_MS) {
		const distance = { ...certificate, roundTripMs };
		const bench = await BenchSetup.open(setup, latencyMs, DISTANT_CONTENDERS, distance);
		const measured = await measureRequests(bench.platform);
		// The first requests over TLS take more CPU time.
		await bench.run('ready50', makeItems(scale.distance.items));
		const where = ` over TLS with a round trip of ${roundTripMs} ms`;
		const results = await runRounds(bench, DISTANT_CONTENDERS, scale.distance, where);
		all.push({ roundTripMs, measured, results });
		await bench.close();
	}
	return all;
}
