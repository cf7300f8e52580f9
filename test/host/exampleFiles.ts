import { submitForm } from '../n8n/form';
import {
	drive,
	ExampleFlow,
	fault,
	images,
	outputOf,
	posts,
	publish,
	setup,
	sha256,
	texts,
} from './exampleFlow';
import { jpeg } from './fileServices';

/** The status and the files of posts as the platform has downloaded them. */
const published = async (start: string) => {
	await publish();
	return posts(start).map(({ status, media }) => [status, media?.[0]?.sha256]);
};

/** Tests the examples that post files. */
export function testFiles(): void {
	describe('The example with a form', () => {
		let flow: ExampleFlow;
		beforeAll(async () => (flow = await ExampleFlow.active('form-photo-to-post')));

		const submit = async (caption: string, photo = jpeg(caption), publishAt = '') => {
			const file = new File([new Uint8Array(photo)], 'photo.jpg', { type: 'image/jpeg' });
			return await submitForm(flow.url('Photo Submitted'), [caption, file, publishAt]);
		};

		it('shows the time zone beside the publish time', async () => {
			const form = await (await fetch(flow.url('Photo Submitted'))).text();
			expect(form).toContain('YYYY-MM-DD HH:MM (America/New_York), or leave empty');
		});

		it('posts the uploaded photo now or later, and its last page says so', async () => {
			const page = await submit('Form, now');
			expect(page).toContain('Your post was accepted');
			const { action_sn } = posts('Form, now')[0]!;
			expect(page).toContain(`publishes it now. Its action number is ${action_sn}.`);
			expect(await published('Form, now')).toEqual([['published', sha256(jpeg('Form, now'))]]);
			const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
			const local = tomorrow.slice(0, 16).replace('T', ' ');
			const later = await submit('Form, later', undefined, local);
			const { post_date } = posts('Form, later')[0]!.request as { post_date: string };
			expect(later).toContain(`The platform publishes it at ${post_date} (America/New_York).`);
			// n8n's default time zone is America/New_York.
			expect(post_date).toMatch(new RegExp(`^${local.replace(' ', 'T')}:00-0[45]:00$`));
		});

		it('shows why an upload was not accepted', async () => {
			const page = await submit('Form, text', Buffer.from('Not a photo'));
			expect(page).toMatch(
				/Your post was not accepted.*is not an image or a video that can be posted; use JPEG/,
			);
			expect(page).toContain('Nothing was published.');
			const time = await submit('Form, time', undefined, 'soon');
			expect(time).toMatch(/'Publish At' .*, or leave it empty/);
			expect(time).not.toContain('Publish Time');
			fault('Form, lost', 'server-error-after');
			expect(await submit('Form, lost')).toMatch(
				/Your post was not accepted.*Check on the platform before you send it again\./,
			);
			expect(texts('Form, text')).toEqual([]);
		});
	});

	describe('The example with a cloud drive', () => {
		let flow: ExampleFlow;
		beforeAll(async () => (flow = await ExampleFlow.scheduled('cloud-drive-to-posts')));
		beforeEach(() => drive.files.clear());

		const add = (name: string, content?: Buffer, type = 'image/jpeg') =>
			drive.files.set(`/To Post/${name}`, { content, type });
		const waiting = () =>
			[...drive.files.keys()].flatMap((path) => /^\/To Post\/([^/]+)$/.exec(path)?.[1] ?? []);
		const run = async () => await flow.run('Every Hour');

		it('posts each picture once with its name and moves it, and nothing else', async () => {
			add('Drive Über.jpg', jpeg('lake'));
			add('Drive hut.2.jpeg', jpeg('a hut'));
			add('notes.txt', Buffer.from('Notes'), 'text/plain');
			drive.state.refusesMoves = true;
			expect(await setup.rest.run(flow.id, 'Every Hour')).toMatchObject({ status: 'error' });
			drive.state.refusesMoves = false;
			expect(outputOf(await run(), 'Create Post')).toMatchObject([
				{ skipped: true },
				{ skipped: true },
			]);
			expect(texts('Drive').sort()).toEqual(['Drive hut.2', 'Drive Über']);
			expect((await published('Drive')).sort()).toEqual(
				[jpeg('lake'), jpeg('a hut')].map((one) => ['published', sha256(one)]).sort(),
			);
			expect(waiting()).toEqual(['notes.txt']);
			const moved = [...drive.files.keys()].filter((path) => path.startsWith('/To Post/Posted/'));
			expect(moved).toEqual([
				expect.stringMatching(/Posted\/\d{4}-\d\d-\d\d \d{6} Drive Über\.jpg$/),
				expect.stringMatching(/Posted\/\d{4}-\d\d-\d\d \d{6} Drive hut\.2\.jpeg$/),
			]);
			add('Drive Über.jpg', jpeg('another lake'));
			await run();
			expect(posts('Drive Über')).toHaveLength(2);
		});

		it('keeps pictures that were not downloaded or not posted, and says why', async () => {
			add('gone.jpg');
			add('text.jpg', Buffer.from('Not a picture'));
			add('fog.jpg', jpeg('fog'));
			fault('fog', 'server-error-after');
			const { runs } = await run();
			const reasons = runs['Not Posted']!.flatMap(({ data }) =>
				data!.main[0]!.map(({ json }) => json.error),
			);
			expect(reasons.sort()).toEqual([
				expect.stringContaining('not known whether'),
				expect.stringContaining('is not an image or a video that can be posted'),
				expect.stringContaining('could not be found'),
			]);
			const again = (await run()).runs['Not Posted']!.flatMap(({ data }) =>
				data!.main[0]!.map(({ json }) => json.error),
			);
			expect(again).toContainEqual(expect.stringContaining('not known whether'));
			expect(texts('fog')).toEqual(['fog']);
			expect(waiting()).toEqual(['gone.jpg', 'text.jpg', 'fog.jpg']);
		});
	});

	describe('The example with an AI image', () => {
		let flow: ExampleFlow;
		beforeAll(async () => {
			const parameters = { 'Generate the Image': { url: images.url } };
			flow = await ExampleFlow.active('ai-image-to-post', parameters);
		});

		const request = async (id: string) =>
			await flow.send('Image Requested', { id, prompt: 'A lake', text: `Image ${id}` });

		it('posts the image once per request', async () => {
			for (const [count, image] of [jpeg('ai'), jpeg('another')].entries()) {
				images.respondWith(image);
				await request('one');
				await flow.ended('Posted', count + 1);
			}
			expect(await published('Image one')).toEqual([['published', sha256(jpeg('ai'))]]);
			const { authorization, body } = images.received[0]!;
			expect(authorization).toBe('Bearer sk-images');
			expect(body).toMatchObject({ prompt: 'A lake', output_format: 'jpeg' });
		});

		it('reports why an image was not posted', async () => {
			const reports: string[] = [];
			const add = async (id: string) => {
				await request(id);
				reports.push(String((await flow.output('Notify Your Team', reports.length + 1)).message));
			};
			images.respondWith(Buffer.from('No image'));
			await add('text');
			images.respondWith(jpeg('wide', 3000, 1000));
			await add('wide');
			const body = { error: { message: 'Blocked by our safety system' } };
			images.responses.push({ status: 400, body }, { body: { created: 1, data: [] } });
			await add('blocked');
			await add('none');
			images.respondWith(jpeg('fog'));
			fault('Image fog', 'server-error-after');
			await add('fog');
			const found = 'was not posted, because the check found:';
			expect(reports).toEqual([
				expect.stringMatching(
					new RegExp(`^The image for request text ${found}\n- Media row 1 .* is not an image`),
				),
				expect.stringMatching(/request wide [^]* is 3000 × 1000 pixels; .*\nPrompt: A lake$/),
				expect.stringMatching(/^No image was generated for request blocked: Blocked by our safety/),
				expect.stringMatching(/^The response for request none contains no image: /),
				expect.stringMatching(
					/^The image for request fog was not posted: .*Check on the platform/s,
				),
			]);
			expect(texts('Image')).toEqual(['Image one', 'Image fog']);
		});
	});
}
