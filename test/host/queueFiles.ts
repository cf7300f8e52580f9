import { startEmulator, type Emulator } from '../emulator';
import type { Credential, Execution } from '../n8n/rest';
import { sweep } from '../n8n/sweep';
import { pause } from './postFlow';
import { download, FileFlow, linksOf, pictureSha256, tokenStarts } from './fileFlow';
import type { QueueSetup } from './queueSetup';

/** n8n's default for queue mode is to store files in the database. */
export function filesAreTested(queueOf: () => QueueSetup): void {
	describe('A file', () => {
		let queue: QueueSetup;
		/** Fetches media, which would fail in the other tests. */
		let emulator: Emulator;
		let credential: Credential;
		let flow: FileFlow;
		beforeAll(async () => {
			queue = queueOf();
			const { setup } = queue;
			emulator = await startEmulator({ fetchMedia: true });
			const { url: baseUrl, appSecret } = emulator;
			credential = await setup.credential('files', { baseUrl, appSecret });
			await setup.rest.testCredential(credential);
			const platform = { rest: setup.rest, emulator };
			flow = await FileFlow.start(platform, credential, () => queue.webhook.url);
		});
		afterAll(async () => {
			await flow?.stop();
			await emulator?.stop();
		});

		const sources: Record<string, () => Promise<Execution>> = {
			'a webhook': async () => await flow.byWebhook(),
			'a form': async () => await flow.byForm(),
			'HTTP Request': async () => await flow.byDownload(),
		};
		const links = () => emulator.posts.flatMap(({ request }) => linksOf(JSON.stringify(request)));
		const workerOf = ({ id }: Execution) =>
			queue.workers.findIndex((worker) => worker.hasStarted(id));

		it.each(Object.keys(sources))(
			'from %s is posted by each worker, and fetched during the execution and after it',
			async (name) => {
				const posted = new Set<number>();
				for (let runs = 0; posted.size < 2 && runs < 40; runs++) {
					const execution = await sources[name]!();
					expect([execution.status, execution.error]).toStrictEqual(['success', undefined]);
					expect(execution.raw).toContain('"database:');
					posted.add(workerOf(execution));
					expect(emulator.posts.at(-1)).toMatchObject({
						status: 'published',
						media: [{ sha256: pictureSha256 }],
					});
					expect(await download(links().at(-1)!)).toMatchObject({ sha256: pictureSha256 });
					// A worker asks Redis again every five seconds, so a fixed pace could always reach the same one.
					await pause(Math.random() * 3_000);
				}
				expect([...posted].sort()).toEqual([0, 1]);
			},
		);

		it('leaves no token of its link in n8n', async () => {
			const ids = await queue.setup.rest.executionIds();
			const executions = await Promise.all(
				ids.map(async (id) => [id, (await queue.setup.rest.execution(id)).raw] as const),
			);
			const texts = { ...queue.kept(), ...Object.fromEntries(executions) };
			const { userFolder } = queue.setup.n8n;
			expect(links().length).toBeGreaterThan(5);
			expect(sweep(tokenStarts(links()), { userFolder, texts })).toStrictEqual([]);
		});
	});
}
