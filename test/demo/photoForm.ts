import { samplePicture } from '../emulator/page/sample-picture';
import { submitForm } from './submitForm';
import { say } from '../n8n/progress';
import type { CreatedPost } from './article';
import type { DemoSetup } from './demoSetup';

/**
 * Submits the form with a photo, and opens its last page, as a browser does.
 *
 * @throws Error if n8n does not create a post from it
 */
export async function submitPhoto(setup: DemoSetup, now: Date): Promise<CreatedPost> {
	const { rest, emulator, photoForm } = setup;
	const text = `First light over the hut. (${now.toISOString().slice(11, 19)} UTC)`;
	const picture = samplePicture('hut');
	say(`  1. Someone submits the form with “hut.png”: POST ${photoForm.url}`);
	const photo = new File([picture], 'hut.png', { type: 'image/png' });
	const page = await submitForm(photoForm.url, [text, photo, '']);
	const post = emulator.posts.find((each) => page.includes(each.action_sn));
	if (!post) throw new Error(`The last page of the form shows no action record: ${page}`);
	const [executionId = ''] = await rest.executionIds(photoForm.id);
	const { status } = await rest.finished(executionId);
	const { media_urls: [link = ''] = [] } = post.request as { media_urls?: string[] };
	say(`  2. n8n creates the post: execution ${executionId}, ${status}`);
	say(`     The request contains a link to the photo in n8n: ${link.replace(/\?.*/s, '?token=…')}`);
	say(`     The last page of the form says: ${/The platform publishes.*SA\d+\./.exec(page)?.[0]}`);
	if (status !== 'success') throw new Error(`Expected success, but got ${status}`);
	return { post, executionId, picture };
}
