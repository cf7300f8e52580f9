import type { Credential } from '../n8n/rest';
import { Setup } from '../n8n/setup';
import { sweep } from '../n8n/sweep';
import { download, FileFlow, linksOf, picture, pictureSha256, tokenStarts } from './fileFlow';
import { until } from './postFlow';
import { TriggerFlow } from './triggerFlow';

let setup: Setup;
let credential: Credential;
let flow: FileFlow;

/** The links of all requests. */
const links: string[] = [];
const newLinks = () => setup.bodies().flatMap((body) => linksOf(body));

beforeAll(async () => {
	const env = {
		N8N_DEFAULT_BINARY_DATA_MODE: 'database',
		N8N_AVAILABLE_BINARY_DATA_MODES: 'filesystem,database',
		// With these settings, n8n logs the most.
		N8N_LOG_LEVEL: 'debug',
		N8N_LOG_OUTPUT: 'console,file',
	};
	setup = await Setup.start({ env }, { fetchMedia: true });
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

const sources = {
	'a webhook': async () => await flow.byWebhook(),
	'HTTP Request': async () => await flow.byDownload(),
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

describe('A file in the database', () => {
	it('is fetched during the execution and after it', async () => {
		await isFetched('a webhook', 'database:');
	});

	it('is fetched for a post that was scheduled before the storage mode changed', async () => {
		flow.parameters = scheduled;
		await flow.byWebhook();
		await setup.n8n.stop();
		await setup.restart({ N8N_DEFAULT_BINARY_DATA_MODE: 'filesystem' });
		expect(setup.emulator.posts).toMatchObject([{ status: 'queued' }]);
		await setup.emulator.advance(SCHEDULED_S);
		expect(setup.emulator.posts).toMatchObject(published);
	});
});

describe('A file in the file system', () => {
	it.each(Object.keys(sources) as Array<keyof typeof sources>)(
		'from %s is fetched during the execution and after it',
		async (from) => await isFetched(from, 'filesystem-v2:'),
	);

	it('is gone after its execution was deleted, and the trigger receives the failure', async () => {
		const status = await TriggerFlow.active(setup, credential, { events: ['failed'] });
		setup.emulator.setWebhook(status.url);
		flow.parameters = scheduled;
		const { id } = await flow.byWebhook();
		const [link] = newLinks();
		expect(await download(link!)).toMatchObject({ sha256: pictureSha256 });
		await setup.rest.call('POST', '/rest/executions/delete', { ids: [id] });
		await until(async () => (await download(link!)).problem !== undefined);
		await setup.emulator.advance(SCHEDULED_S);
		const reason = 'the server responded with HTTP 404';
		const message = `The media ${link!.replace(/\?.*/, '')} could not be fetched: ${reason}.`;
		expect(await status.items()).toMatchObject([{ status: 'failed', outcome: 'failed', message }]);
	});
});

// The search takes longer than n8n keeps idle connections, so this test is the last one.
test('n8n has stored and logged no token of a link', async () => {
	links.push(...newLinks());
	const texts: Record<string, string> = {};
	for (const id of await setup.rest.executionIds()) {
		texts[`execution ${id}`] = (await setup.rest.execution(id)).raw;
	}
	expect(links.length).toBeGreaterThan(4);
	const { userFolder } = setup.n8n;
	expect(sweep(tokenStarts(links), { userFolder, texts })).toStrictEqual([]);
});
