import { execFileSync } from 'node:child_process';
import { mkdirSync, openAsBlob, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { N8n } from '../n8n/n8n';
import { waitUntilIdle } from '../n8n/executions';
import { memoryMb, n8nPid, resetPeak } from '../n8n/n8nProcess';
import { say } from '../n8n/progress';
import type { Credential, Execution } from '../n8n/rest';
import { Setup } from '../n8n/setup';
import { EchoingPlatform, type Reaction } from './echoingPlatform';
import { sweep } from '../n8n/sweep';
import {
	download,
	FileFlow,
	linksOf,
	picture,
	pictureSha256,
	tokenSignatures,
	tokenStarts,
} from './fileFlow';
import { retryOnFail, until, type Item } from './postFlow';
import { TriggerFlow } from './triggerFlow';

let setup: Setup;
let credential: Credential;
let flow: FileFlow;
let folder: string;

/** The links of all requests. */
const links: string[] = [];
const newLinks = () => setup.bodies().flatMap((body) => linksOf(body));

beforeAll(async () => {
	const userFolder = N8n.makeUserFolder();
	folder = join(userFolder, 'pictures');
	mkdirSync(folder);
	writeFileSync(join(folder, 'photo.png'), picture);
	const env = {
		N8N_RESTRICT_FILE_ACCESS_TO: folder,
		N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem',
		N8N_AVAILABLE_BINARY_DATA_MODES: 'filesystem,database',
		// In MB.
		N8N_FORMDATA_FILE_SIZE_MAX: '300',
		// With these settings, n8n logs the most.
		N8N_LOG_LEVEL: 'debug',
		N8N_LOG_OUTPUT: 'console,file',
	};
	setup = await Setup.start({ userFolder, env }, { fetchMedia: true });
	credential = await setup.credential('platform');
	flow = await FileFlow.start(setup, credential);
});
afterAll(async () => {
	await flow?.stop();
	await setup?.stop();
});
beforeEach(async () => {
	[flow.parameters, flow.settings] = [{}, {}];
	links.push(...newLinks());
	setup.emulator.reset();
	await setup.rest.testCredential(credential);
});

async function restart(env: NodeJS.ProcessEnv = {}): Promise<void> {
	await setup.n8n.stop();
	await setup.restart(env);
}

const sources = {
	'a webhook': async () => await flow.byWebhook(),
	'a form': async () => await flow.byForm(),
	'HTTP Request': async () => await flow.byDownload(),
	'the disk': async () => await flow.byDisk(join(folder, '*.png')),
};

const scheduled = { publishTime: 'at', publishAt: '={{ $now.plus({ hours: 1 }) }}' };
const SCHEDULED_S = 3700;

const published = [
	{
		status: 'published',
		media: [{ type: 'image/png', bytes: picture.length, sha256: pictureSha256 }],
	},
];

describe.each(['filesystem', 'database'])('A file in the storage mode %s', (mode) => {
	beforeAll(async () => {
		if (mode !== 'filesystem') await restart({ N8N_DEFAULT_BINARY_DATA_MODE: mode });
	});

	it.each(Object.entries(sources))(
		'from %s is fetched during the execution and after it',
		async (_, run) => {
			const { status, error, raw } = await run();
			expect([status, error?.message]).toStrictEqual(['success', undefined]);
			expect(raw).toContain(`${mode === 'database' ? 'database' : 'filesystem-v2'}:`);
			expect(setup.emulator.posts).toMatchObject(published);
			const [link] = newLinks();
			expect(await download(link!)).toMatchObject({ sha256: pictureSha256 });
		},
	);

	it('is fetched for a scheduled post after a restart of n8n', async () => {
		flow.parameters = scheduled;
		await flow.byWebhook();
		await restart({ N8N_DEFAULT_BINARY_DATA_MODE: mode });
		expect(setup.emulator.posts).toMatchObject([{ status: 'queued' }]);
		await setup.emulator.advance(SCHEDULED_S);
		expect(setup.emulator.posts).toMatchObject(published);
	});

	it('is gone after its execution was deleted, and the trigger receives the failure', async () => {
		const status = await TriggerFlow.active(setup, credential, { events: ['failed'] });
		setup.emulator.setWebhook(status.url);
		flow.parameters = scheduled;
		// In the database, n8n keeps the files that webhooks and forms have received.
		const { id } = mode === 'database' ? await flow.byDownload() : await flow.byWebhook();
		const [link] = newLinks();
		expect(await download(link!)).toMatchObject({ sha256: pictureSha256 });
		await setup.rest.call('POST', '/rest/executions/delete', { ids: [id] });
		await until(async () => (await download(link!)).problem !== undefined);
		await setup.emulator.advance(SCHEDULED_S);
		const reason = `the server responded with HTTP ${mode === 'database' ? 500 : 404}`;
		const message = `The media ${link!.replace(/\?.*/, '')} could not be fetched: ${reason}.`;
		expect(setup.emulator.posts).toMatchObject([{ status: 'failed', message }]);
		expect(await status.items()).toMatchObject([{ status: 'failed', outcome: 'failed', message }]);
	});
});

describe('n8n without file storage', () => {
	it('refuses a file and names the variable to set', async () => {
		await restart({ N8N_DEFAULT_BINARY_DATA_MODE: 'default' });
		const { status, error } = await flow.byDownload();
		expect(status).toBe('error');
		expect(error?.message).toMatch(/^'Media' row 1 \(photo\.png\) .*N8N_DEFAULT_BINARY_DATA_MODE/);
		expect(setup.arrived('createPost')).toBe(0);
	});
});

describe('A video of 200 MB', () => {
	const SIZE = 200 * 1024 * 1024;
	let video: string;
	beforeAll(async () => {
		await restart();
		video = join(folder, 'video.mp4');
		writeFileSync(video, '\0\0\0\x10ftypisom\0\0\0\0\x7f\0\0\0mdat', 'latin1');
		truncateSync(video, SIZE);
		// The first execution loads the nodes.
		await flow.byWebhook();
	});
	// The search for tokens reads all files.
	afterAll(() => void execFileSync('find', [setup.n8n.userFolder, '-size', '+100M', '-delete']));

	const from: Record<string, () => Promise<Execution>> = {
		'a webhook': async () => await flow.byWebhook(await openAsBlob(video), 'video.mp4'),
		'the disk': async () => await flow.byDisk(video),
	};

	it.each(Object.keys(from))('from %s is posted with less than 50 MB of memory', async (name) => {
		flow.parameters = { contentType: 'REEL' };
		const pid = n8nPid();
		await waitUntilIdle(setup.rest, pid);
		resetPeak(pid);
		const { now } = memoryMb(pid);
		const { status, error } = await from[name]!();
		const more = memoryMb(pid).peak - now;
		expect([status, error?.message]).toStrictEqual(['success', undefined]);
		expect(setup.emulator.posts).toMatchObject([
			{ status: 'published', media: [{ type: 'video/mp4', bytes: SIZE }] },
		]);
		say(
			`• Video of 200 MB from ${name}: ${more.toFixed(1)} MB of memory more than ${now.toFixed(0)} MB`,
		);
		expect(more).toBeLessThan(50);
	});
});

describe('An execution contains no token', () => {
	const full = { options: { fullEnvelope: true } };
	const keyed = { options: { ...full.options, oncePerKey: 'key' } };
	const resent = { options: { ...full.options, resendUnknown: true } };
	const inOutput = { onError: 'continueRegularOutput' };
	const runs: Array<[what: string, reactions: Reaction[], parameters: Item, settings: Item]> = [
		['an accepted post', ['accept'], full, {}],
		['a refused post', ['refuse'], full, {}],
		['a refused post in the output', ['refuse'], full, inOutput],
		['an unknown outcome', ['close'], full, {}],
		['an unknown outcome in the output', ['close'], full, inOutput],
		['a web page as the response', ['page'], full, {}],
		['a redirect', ['redirect'], full, inOutput],
		['Retry on Fail', ['refuse', 'refuse', 'accept'], full, retryOnFail],
		['Retry on Fail without success', ['refuse', 'refuse', 'refuse'], full, retryOnFail],
		['an unknown outcome and Retry on Fail', ['close', 'close', 'accept'], resent, retryOnFail],
		['a deduplication key', ['accept'], keyed, {}],
	];
	let platform: EchoingPlatform;
	let trigger: TriggerFlow;
	let echoFlow: FileFlow;
	beforeAll(async () => {
		platform = await EchoingPlatform.start();
		echoFlow = await FileFlow.start(
			setup,
			await setup.credential('echo', { baseUrl: platform.url }),
		);
		const options = { includeHeaders: true, includeRawPayload: true };
		trigger = await TriggerFlow.active(setup, credential, { options });
	});
	afterAll(async () => {
		links.push(...(platform?.links ?? []));
		await echoFlow?.stop();
		await platform?.stop();
	});

	const found = (text: string) => sweep(tokenSignatures(platform.links), { texts: { text } });

	it.each(runs)('after %s', async (_, reactions, parameters, settings) => {
		const before = platform.links.length;
		platform.reactions = [...reactions];
		Object.assign(echoFlow, { parameters, settings });
		const { id, status, raw } = await echoFlow.byDisk(join(folder, '*.png'));
		expect(platform.links).toHaveLength(before + reactions.length);
		expect(found(raw)).toStrictEqual([]);
		if (status === 'error') expect(found((await setup.rest.retry(id)).raw)).toStrictEqual([]);
	});

	it('after a webhook that repeats links', async () => {
		const [link = ''] = platform.links;
		const data = { status: 'failed', message: `Cannot open ${link}.`, media_urls: platform.links };
		const event = { id: 'evt_1', data: { ...data, encoded: encodeURIComponent(link) } };
		await setup.emulator.deliver(event, { url: trigger.url });
		const { raw } = await trigger.newest();
		expect(raw).toContain('raw_payload');
		expect(found(raw)).toStrictEqual([]);
	});
});

// The search takes longer than n8n keeps idle connections, so this test is the last one.
test('n8n has stored and logged no token of a link', async () => {
	links.push(...newLinks());
	const texts: Record<string, string> = {};
	for (const id of await setup.rest.executionIds()) {
		texts[`execution ${id}`] = (await setup.rest.execution(id)).raw;
	}
	expect(links.length).toBeGreaterThan(30);
	const { userFolder } = setup.n8n;
	expect(sweep(tokenStarts(links), { userFolder, texts })).toStrictEqual([]);
});
