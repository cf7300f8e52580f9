import { createHash } from 'node:crypto';
import { type Emulator, startEmulator } from '../emulator';
import type { Credential, Execution } from '../n8n/rest';
import type { Setup } from '../n8n/setup';
import { ExampleFlow, outputOf, PUBLISHED_AFTER_SECONDS } from './exampleFlow';
import { cloudDrive, imageService, jpeg } from './fileServices';
import { submitForm } from '../n8n/form';
import { type Item, until } from './postFlow';

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** The facts about a JPEG that the platform has downloaded. */
const downloaded = (content: Buffer) => ({
	type: 'image/jpeg',
	bytes: content.length,
	sha256: sha256(content),
});

type Sent = { text: string; post_date?: string };

/** Tests the examples that post files. */
export function testFiles(setup: () => Setup): void {
	describe('the examples with files', () => {
		/** A platform that downloads the files of posts before it publishes them. */
		let emulator: Emulator;
		let platform: Credential;
		beforeAll(async () => {
			const { appSecret } = setup().emulator;
			const publishAfterSeconds = PUBLISHED_AFTER_SECONDS;
			emulator = await startEmulator({ appSecret, publishAfterSeconds, fetchMedia: true });
			const { url: baseUrl, appId } = emulator;
			platform = await setup().credential('downloads files', { baseUrl, appId });
		});
		afterAll(async () => await emulator?.stop());
		beforeEach(async () => {
			emulator.reset();
			// The reset has ended the previous token.
			await setup().rest.testCredential(platform);
		});

		const publish = async () => await emulator.advance(PUBLISHED_AFTER_SECONDS);
		const sent = () => emulator.posts.map(({ request }) => request as Sent);
		const texts = () => sent().map(({ text }) => text);
		const media = () => emulator.posts.map((post) => [post.status, post.media]);

		describe('a form', () => {
			let flow: ExampleFlow;
			beforeAll(async () => {
				flow = await (await ExampleFlow.of(setup(), 'form-photo-to-post', { platform })).activate();
			});

			const submit = async (caption: string, photo: Buffer, publishAt = '') => {
				const file = new File([new Uint8Array(photo)], 'photo.jpg', { type: 'image/jpeg' });
				return await submitForm(`${setup().n8n.url}/form/publish-a-photo`, [
					caption,
					file,
					publishAt,
				]);
			};

			it('posts the uploaded photo, and its last page says so', async () => {
				const photo = jpeg('form');
				const page = await submit('From a form', photo);
				expect(page).toContain('Your post was accepted');
				expect(page).toContain(
					`The platform publishes it now. Its action number is ${emulator.posts[0]!.action_sn}.`,
				);
				await flow.ended('Accepted', 1);
				await publish();
				expect(media()).toMatchObject([['published', [downloaded(photo)]]]);
				expect(sent()).toMatchObject([{ text: 'From a form' }]);
				expect(sent()[0]).not.toHaveProperty('post_date');
			});

			it('schedules a photo', async () => {
				const local = new Date(Date.now() + 86_400_000)
					.toISOString()
					.slice(0, 16)
					.replace('T', ' ');
				const page = await submit('Later', jpeg('later'), local);
				expect(page).toContain(`The platform publishes it at ${local}.`);
				// n8n's default time zone is America/New_York.
				const time = new RegExp(`^${local.replace(' ', 'T')}:00-0[45]:00$`);
				expect(sent()).toMatchObject([{ text: 'Later', post_date: expect.stringMatching(time) }]);
			});

			it.each([
				[
					'is not an image',
					Buffer.from('Not a photo'),
					'',
					/is neither an image nor a video; use JPEG/,
				],
				['is empty', Buffer.alloc(0), '', /'Media'/],
				[
					'has an invalid publish time',
					jpeg('x'),
					'tomorrow',
					/\(tomorrow\) is not a date and time/,
				],
				['has a past publish time', jpeg('x'), '2020-01-01 10:00', /'Publish At' is in the past/],
				[
					'has a distant publish time',
					jpeg('x'),
					'2090-01-01 10:00',
					/after the links to the files expire \(7 days\)/,
				],
			])('shows why an upload that %s was not accepted', async (_, photo, publishAt, reason) => {
				const page = await submit('Refused', photo, publishAt);
				expect(page).toContain('Your post was not accepted');
				expect(page).toMatch(reason);
				expect(page).toContain('Nothing was published.');
				expect(emulator.posts).toHaveLength(0);
			});

			it('asks to check on the platform if the outcome is unknown', async () => {
				emulator.fault({ operation: 'createPost', kind: 'server-error-after' });
				const page = await submit('Lost', jpeg('lost'));
				expect(page).toContain('Your post was not accepted');
				expect(page).toContain('Check on the platform before you send it again.');
			});

			it('is not published by the platform if it cannot download the photo', async () => {
				const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
				await submit('Unreachable', jpeg('unreachable'), inAnHour);
				await setup().n8n.stop();
				await emulator.advance(3_600 + PUBLISHED_AFTER_SECONDS);
				await setup().restart();
				const [post] = emulator.posts;
				expect(post).toMatchObject({ status: 'failed' });
				expect(post!.message).toMatch(/could not be fetched/);
			});
		});

		describe('a cloud drive', () => {
			const START = 'Every Hour';
			let drive: Awaited<ReturnType<typeof cloudDrive>>;
			let flow: ExampleFlow;
			beforeAll(async () => {
				drive = await cloudDrive();
				const service = await drive.credential(setup());
				flow = await ExampleFlow.of(setup(), 'cloud-drive-to-posts', { platform, service });
				await flow.checkActivation();
			});
			afterAll(async () => await drive?.stop());
			beforeEach(() => {
				drive.files.clear();
				drive.state.refusesMoves = false;
			});

			const add = (name: string, content?: Buffer, type = 'image/jpeg') =>
				drive.files.set(`/To Post/${name}`, { content, type });
			const waiting = () =>
				[...drive.files.keys()].flatMap((path) => /^\/To Post\/([^/]+)$/.exec(path)?.[1] ?? []);
			const run = async () => await flow.run(START);
			const succeed = async (): Promise<Execution> => {
				const execution = await run();
				expect(execution).toMatchObject({ status: 'success', error: undefined });
				return execution;
			};

			it('posts each picture with its name and moves it, and nothing else', async () => {
				const pictures = [jpeg('lake'), jpeg('hut')];
				add('Über den Pass.jpg', pictures[0]);
				add('hut.2.jpeg', pictures[1]);
				add('notes.txt', Buffer.from('Notes'), 'text/plain');
				await succeed();
				await publish();
				expect(texts().sort()).toEqual(['hut.2', 'Über den Pass']);
				for (const { request, status, media: files } of emulator.posts) {
					const picture = pictures[(request as Sent).text === 'hut.2' ? 1 : 0]!;
					expect([status, files]).toMatchObject(['published', [downloaded(picture)]]);
				}
				expect(waiting()).toEqual(['notes.txt']);
				const posted = [...drive.files.keys()].filter((path) =>
					path.startsWith('/To Post/Posted/'),
				);
				expect(posted).toEqual([
					expect.stringMatching(/Posted\/\d{4}-\d\d-\d\d \d{6} Über den Pass\.jpg$/),
					expect.stringMatching(/Posted\/\d{4}-\d\d-\d\d \d{6} hut\.2\.jpeg$/),
				]);
				await succeed();
				expect(texts()).toHaveLength(2);
			});

			it('posts each picture once if it is found twice', async () => {
				drive.state.refusesMoves = true;
				add('twice.jpg', jpeg('twice'));
				add('again.jpg', jpeg('again'));
				expect(await run()).toMatchObject({ status: 'error' });
				drive.state.refusesMoves = false;
				const second = await succeed();
				expect(outputOf(second, 'Create Post')).toMatchObject([
					{ skipped: true },
					{ skipped: true },
				]);
				expect(texts().sort()).toEqual(['again', 'twice']);
				expect(waiting()).toEqual([]);
			});

			it('posts another picture with the same name', async () => {
				for (const content of [jpeg('monday'), jpeg('on tuesday')]) {
					add('today.jpg', content);
					await succeed();
				}
				expect(texts()).toEqual(['today', 'today']);
			});

			it('keeps pictures that cannot be downloaded or posted, and says why', async () => {
				add('gone.jpg');
				add('text.jpg', Buffer.from('Not a picture'));
				add('good.jpg', jpeg('good'));
				const execution = await succeed();
				expect(texts()).toEqual(['good']);
				expect(waiting()).toEqual(['gone.jpg', 'text.jpg']);
				const runs = execution.runs['Not Posted']!;
				const reasons = runs.flatMap(({ data }) => data!.main[0]!.map(({ json }) => json));
				expect(reasons).toEqual(
					expect.arrayContaining([
						expect.objectContaining({
							error: expect.stringContaining('could not be found') as string,
						}),
						expect.objectContaining({
							path: 'To%20Post/text.jpg',
							error: expect.stringContaining('neither an image nor a video') as string,
						}),
					]),
				);
			});

			it('reports a run in which no picture can be downloaded', async () => {
				add('missing.jpg');
				const execution = await succeed();
				expect(outputOf(execution, 'Not Posted')).toMatchObject([
					{ error: expect.stringContaining('could not be found') },
				]);
			});

			it('keeps a picture whose outcome is unknown, and does not post it again', async () => {
				emulator.fault({ operation: 'createPost', kind: 'server-error-after' });
				add('fog.jpg', jpeg('fog'));
				const first = await succeed();
				expect(outputOf(first, 'Not Posted')).toMatchObject([{ details: { outcome: 'unknown' } }]);
				const second = await succeed();
				expect(outputOf(second, 'Create Post')).toMatchObject([{ first: { outcome: 'unknown' } }]);
				expect(texts()).toEqual(['fog']);
				expect(waiting()).toEqual(['fog.jpg']);
			});
		});

		describe('an AI image', () => {
			let images: Awaited<ReturnType<typeof imageService>>;
			let flow: ExampleFlow;
			beforeAll(async () => {
				images = await imageService();
				const service = await images.credential(setup());
				const parameters = { 'Generate the Image': { url: images.url } };
				const filling = { platform, service, parameters };
				flow = await (await ExampleFlow.of(setup(), 'ai-image-to-post', filling)).activate();
			});
			afterAll(async () => await images?.stop());

			const request = async (id: string) => {
				const body = { id, prompt: `A lake, ${id}`, text: `Image ${id}` };
				expect(await flow.send('Image Requested', body)).toBe(200);
			};
			const endOf = async (node: string, id: string): Promise<Item> => {
				let found: Item | undefined;
				await until(async () => {
					const executions = await flow.ended(node, 1);
					const of = executions.find(({ raw }) => raw.includes(`A lake, ${id}`));
					found = of && outputOf(of, node)[0];
					return found !== undefined;
				}, 60_000);
				return found!;
			};

			it('posts the image once per request', async () => {
				const image = jpeg('ai');
				images.respondWith(image);
				await request('i1');
				await endOf('Posted', 'i1');
				await publish();
				expect(media()).toMatchObject([['published', [downloaded(image)]]]);
				expect(images.received).toEqual([
					{
						authorization: 'Bearer sk-images',
						body: {
							model: 'gpt-image-1',
							prompt: 'A lake, i1',
							size: '1024x1024',
							output_format: 'jpeg',
						},
					},
				]);
				images.respondWith(jpeg('another'));
				await request('i1');
				await flow.ended('Posted', 2);
				expect(texts()).toEqual(['Image i1']);
			});

			it.each([
				['i2', 'is not an image', Buffer.from('No image'), /Media row 1 \(image\.jpg\) is neither/],
				['i3', 'is too wide', jpeg('wide', 3000, 1000), /is 3000 × 1000 pixels; .*aspect ratios/],
			])('does not post image %s that %s, and reports it', async (id, _, image, reason) => {
				images.respondWith(image);
				await request(id);
				const { message } = await endOf('Notify Your Team', id);
				expect(message).toMatch(
					new RegExp(`^The image for request ${id} was not posted, because the check found:\n`),
				);
				expect(message).toMatch(reason);
				expect(message).toMatch(new RegExp(`\nPrompt: A lake, ${id}$`));
				expect(emulator.received.filter((one) => one.operation === 'createPost')).toEqual([]);
			});

			it.each([
				[
					'i4',
					{ status: 400, body: { error: { message: 'Blocked by our safety system' } } },
					'No image was generated for request i4: Blocked by our safety system\n',
				],
				[
					'i5',
					{ body: { created: 1, data: [] } },
					'The response for request i5 contains no image: ',
				],
			])('reports that request %s has no image', async (id, response, start) => {
				images.responses.push(response);
				await request(id);
				const { message } = await endOf('Notify Your Team', id);
				expect(String(message).slice(0, start.length)).toBe(start);
				expect(emulator.received.filter((one) => one.operation === 'createPost')).toEqual([]);
			});

			it('reports that a post with an unknown outcome may be published', async () => {
				emulator.fault({ operation: 'createPost', kind: 'server-error-after' });
				images.respondWith(jpeg('fog'));
				await request('i6');
				const { message } = await endOf('Notify Your Team', 'i6');
				expect(message).toMatch(
					/^The image for request i6 was not posted: .*Check on the platform/s,
				);
			});
		});
	});
}
