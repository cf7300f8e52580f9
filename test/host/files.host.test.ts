import { execFileSync } from 'node:child_process';
import { mkdirSync, openAsBlob, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { N8n } from '../n8n/n8n';
import { waitUntilIdle } from '../n8n/executions';
import { memoryMb, n8nPid, resetPeak } from '../n8n/n8nProcess';
import { say } from '../n8n/progress';
import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';
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
import { until } from './postFlow';
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
		N8N_DEFAULT_BINARY_DATA_MODE: 'database',
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
	flow.parameters = {};
	links.push(...newLinks());
	setup.emulator.reset();
	await setup.rest.testCredential(credential);
});

async function restart(storage: string): Promise<void> {
	await setup.n8n.stop();
	await setup.restart({ N8N_DEFAULT_BINARY_DATA_MODE: storage });
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

/** Posts a file, and checks that the platform fetches it during the execution and after it. */
async function isFetched(from: keyof typeof sources, prefix: string): Promise<void> {
	const { status, error, raw } = await sources[from]();
	expect([status, error?.message]).toStrictEqual(['success', undefined]);
	expect(raw).toContain(prefix);
	expect(setup.emulator.posts).toMatchObject(published);
	const [link] = newLinks();
	expect(await download(link!)).toMatchObject({ sha256: pictureSha256 });
}

/** Schedules a post, and checks that the trigger receives the failure after its file was deleted. */
async function isGone(from: keyof typeof sources, httpStatus: number): Promise<void> {
	const status = await TriggerFlow.active(setup, credential, { events: ['failed'] });
	setup.emulator.setWebhook(status.url);
	flow.parameters = scheduled;
	const { id } = await sources[from]();
	const [link] = newLinks();
	expect(await download(link!)).toMatchObject({ sha256: pictureSha256 });
	await setup.rest.call('POST', '/rest/executions/delete', { ids: [id] });
	await until(async () => (await download(link!)).problem !== undefined);
	await setup.emulator.advance(SCHEDULED_S);
	const reason = `the server responded with HTTP ${httpStatus}`;
	const message = `The media ${link!.replace(/\?.*/, '')} could not be fetched: ${reason}.`;
	expect(setup.emulator.posts).toMatchObject([{ status: 'failed', message }]);
	expect(await status.items()).toMatchObject([{ status: 'failed', outcome: 'failed', message }]);
}

describe('A file in the database', () => {
	it('is fetched during the execution and after it', async () => {
		await isFetched('a webhook', 'database:');
	});

	// n8n keeps the files that webhooks and forms have received.
	it('is gone after its execution was deleted', async () => await isGone('HTTP Request', 500));

	it('is fetched for a post that was scheduled before the storage mode changed', async () => {
		flow.parameters = scheduled;
		await flow.byWebhook();
		await restart('filesystem');
		expect(setup.emulator.posts).toMatchObject([{ status: 'queued' }]);
		await setup.emulator.advance(SCHEDULED_S);
		expect(setup.emulator.posts).toMatchObject(published);
	});
});

describe('A video of 200 MB', () => {
	const MB = 200;
	const SIZE = MB * 1024 * 1024;
	// The search for tokens reads all files.
	afterAll(() => void execFileSync('find', [setup.n8n.userFolder, '-size', '+100M', '-delete']));

	it('is posted, but never in memory as a whole', async () => {
		// The first execution loads the nodes.
		await flow.byWebhook();
		const video = join(folder, 'video.mp4');
		writeFileSync(video, '\0\0\0\x10ftypisom\0\0\0\0\x7f\0\0\0mdat', 'latin1');
		truncateSync(video, SIZE);
		flow.parameters = { contentType: 'REEL' };
		const pid = n8nPid();
		await waitUntilIdle(setup.rest, pid);
		resetPeak(pid);
		const { now } = memoryMb(pid);
		const { status, error } = await flow.byWebhook(await openAsBlob(video), 'video.mp4');
		const more = memoryMb(pid).peak - now;
		expect([status, error?.message]).toStrictEqual(['success', undefined]);
		expect(setup.emulator.posts[1]).toMatchObject({
			status: 'published',
			media: [{ type: 'video/mp4', bytes: SIZE }],
		});
		say(`• Video of 200 MB: ${more.toFixed(1)} MB of memory more than ${now.toFixed(0)} MB`);
		// n8n's memory also grows by the pieces that are not collected yet.
		expect(more).toBeLessThan(0.75 * MB);
	});
});

describe('A file in the file system', () => {
	it.each(Object.keys(sources) as Array<keyof typeof sources>)(
		'from %s is fetched during the execution and after it',
		async (from) => await isFetched(from, 'filesystem-v2:'),
	);

	it('is gone after its execution was deleted, and the trigger receives the failure', async () => {
		await isGone('a webhook', 404);
	});
});

test('A webhook that repeats links starts an execution without their tokens', async () => {
	const options = { includeHeaders: true };
	const trigger = await TriggerFlow.active(setup, credential, { options });
	await flow.byDownload();
	const [link = ''] = newLinks();
	const data = { status: 'failed', message: `Cannot open ${link}.`, media_urls: [link] };
	const event = { id: 'evt_1', data: { ...data, encoded: encodeURIComponent(link) } };
	await setup.emulator.deliver(event, { url: trigger.url });
	const { raw } = await trigger.newest();
	expect(raw).toContain('Cannot open');
	expect(sweep(tokenSignatures([link]), { texts: { raw } })).toStrictEqual([]);
});

describe('n8n without file storage', () => {
	it('refuses a file and names the variable to set', async () => {
		await restart('default');
		const { status, error } = await flow.byDownload();
		expect(status).toBe('error');
		expect(error?.message).toMatch(/^'Media' row 1 \(photo\.png\) .*N8N_DEFAULT_BINARY_DATA_MODE/);
		expect(setup.arrived('createPost')).toBe(0);
	});
});

// The search takes longer than n8n keeps idle connections, so this test is the last one.
test('n8n has stored and logged no token of a link', async () => {
	links.push(...newLinks());
	const texts: Record<string, string> = {};
	for (const id of await setup.rest.executionIds()) {
		texts[`execution ${id}`] = (await setup.rest.execution(id)).raw;
	}
	expect(links.length).toBeGreaterThan(10);
	const { userFolder } = setup.n8n;
	expect(sweep(tokenStarts(links), { userFolder, texts })).toStrictEqual([]);
});
