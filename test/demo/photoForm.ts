import { samplePicture } from '../emulator/page/sample-picture';
import { say } from '../n8n/progress';
import type { CreatedPost } from './article';
import type { DemoSetup } from './demoSetup';
import { TIMEOUT_MS, until } from './wait';

const send = async (url: string, options: RequestInit = {}): Promise<Response> =>
	await fetch(url, { ...options, signal: AbortSignal.timeout(TIMEOUT_MS) });

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
	const body = new FormData();
	body.append('field-0', text);
	body.append('field-1', new Blob([picture], { type: 'image/png' }), 'hut.png');
	body.append('field-2', '');
	const response = await send(photoForm.url, { method: 'POST', body });
	const { formWaitingUrl } = (await response.json()) as { formWaitingUrl: string };
	const post = await until(
		() => emulator.posts.find(({ request }) => (request as { text?: string }).text === text),
		() => 'n8n has not created a post from the form',
	);
	const page = await until(
		async () => {
			const html = await (await send(formWaitingUrl)).text();
			return html.includes(post.action_sn) ? html : undefined;
		},
		() => 'The last page of the form does not show the action record',
	);
	await send(formWaitingUrl, { method: 'POST' });
	const [executionId = ''] = await rest.executionIds(photoForm.id);
	const { status } = await rest.finished(executionId);
	const { media_urls: [link = ''] = [] } = post.request as { media_urls?: string[] };
	say(`  2. n8n creates the post: execution ${executionId}, ${status}`);
	say(`     The request contains a link to the photo in n8n: ${link.replace(/\?.*/s, '?token=…')}`);
	say(`     The last page of the form says: ${/The platform publishes[^<]*/.exec(page)?.[0]}`);
	if (status !== 'success') throw new Error(`Expected success, but got ${status}`);
	return { post, executionId, picture };
}
