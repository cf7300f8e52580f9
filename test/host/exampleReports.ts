import { randomUUID } from 'node:crypto';
import { webhookReceiver } from '../emulator/webhook-receiver';
import { sampleArticle } from '../n8n/article';
import { DataTable } from '../n8n/dataTable';
import { box, ExampleFlow, paste, pictureUrl, posts, publish, setup } from './exampleFlow';

const SLACK = 'Send to Slack or Mattermost';
const TEAMS = 'Send to Teams';

const failure = (action_sn: string, message: string) => ({
	action_sn,
	social_post_id: 4711,
	status: 'failed',
	social_account_id: 'acc_1',
	message,
});

const messageOf = (action: string, reason: string) =>
	`A post failed: account acc_1, post 4711 (${action}), status failed.\n` +
	`The platform's reason: ${reason}\n` +
	"Check it in the platform's console before you post it again.";

/** Tests the examples that report posts to a chat and by email. */
export function testReports(): void {
	const report = async (node: string, other: string, reason: string) => {
		const chat = await webhookReceiver();
		try {
			const url = { [node]: { url: chat.url } };
			const flow = await ExampleFlow.active('post-failed-to-chat', url, [other]);
			await flow.report('Post Failed', failure('SC1', reason));
			await flow.ended(node);
			return chat.received.map(({ body }) => JSON.parse(body) as unknown);
		} finally {
			await chat.close();
		}
	};

	it('The example for a chat reports a failed post to Slack without notifying the channel', async () => {
		expect(await report(SLACK, TEAMS, '<!channel> "A & B"')).toEqual([
			{ text: messageOf('SC1', '&lt;!channel&gt; "A &amp; B"') },
		]);
	});

	it('The example for a chat reports to Teams if that node is activated', async () => {
		// A card shows lines without an empty line between them as one line.
		const text = messageOf('SC1', '原因 "x"').replaceAll('\n', '\n\n');
		expect(await report(TEAMS, SLACK, '原因 "x"')).toMatchObject([
			{ type: 'message', attachments: [{ content: { body: [{ type: 'TextBlock', text }] } }] },
		]);
	});

	it('The example for emails reports a failed post, and no published one', async () => {
		const flow = await ExampleFlow.active('post-failed-to-mail');
		await flow.report('Post Failed', failure('SM1', '图片不符合要求'));
		await flow.report('Post Failed', { action_sn: 'SM2', status: 'published' });
		await flow.ended('Send the Email');
		expect(box.mails.filter(({ subject }) => /A post failed/.test(subject!))).toMatchObject([
			{
				from: 'n8n@example.com',
				to: ['team@example.com'],
				subject: 'A post failed (SM1)',
				body: messageOf('SM1', '图片不符合要求'),
			},
		]);
	});

	it('The example with a weekly report counts the posts of the week by their last status', async () => {
		const flow = await ExampleFlow.active('weekly-report');
		const write = async () => {
			await flow.run('Every Monday');
			return box.mails.at(-1)!;
		};
		expect(await write()).toMatchObject({
			subject: 'Posts of the last seven days: 0 published, 0 failed',
			body: expect.stringContaining('<li>No failed posts.</li>') as string,
		});
		const events = [
			['SR1', 'published'],
			['SR2', 'failed', '<b>A & B</b>'],
			['SR3', 'published'],
			['SR4', 'published'],
			['SR4', 'deleted'],
			['SR5', 'processing'],
		];
		for (const [index, [action_sn, status, message]] of events.entries()) {
			const data = { action_sn, social_post_id: 7, social_account_id: 'acc_1', status, message };
			await flow.report('Post Status Changed', data);
			await flow.ended('Save the Status', Math.min(index + 1, 5));
		}
		const table = await DataTable.of(setup.rest, 'post_statuses');
		const reported_at = new Date(Date.now() - 8 * 86_400_000).toISOString();
		await table.add({ action_sn: 'SR0', outcome: 'failed', reported_at });
		const { subject, body } = await write();
		expect(subject).toBe('Posts of the last seven days: 2 published, 1 failed');
		expect(body).toContain('<p>2 published, 1 failed, 1 with another status.</p>');
		const failed = 'failed, account acc_1, post 7, SR2, &lt;b>A &amp; B&lt;/b>';
		expect(body).toContain(`<li>${failed}</li><li>deleted, account acc_1, post 7, SR4, </li>`);
		expect(body).not.toContain('SR0');
	});

	it('The example for failed posts lets an article be posted again, once, and tells why', async () => {
		const flow = await ExampleFlow.active(
			'cms-publish-to-post',
			{ 'Article Published': { path: randomUUID() }, 'Wait 30 Seconds': { amount: 2 } },
			undefined,
			(workflow) => paste(workflow, 'failed-post-again', 'Create Post', 'Save the Post'),
		);
		await publish();
		setup.emulator.setWebhook(flow.url('Post Failed'));
		const { post } = sampleArticle(setup.emulator.url, new Date());
		const announce = async (picture: string) => {
			const article = { ...post, ID: 4711, post_excerpt: 'Failed once' };
			const featured_image = pictureUrl(picture);
			const response = await flow.send('Article Published', {
				post: { ...article, featured_image },
			});
			return (await response.json()) as object;
		};
		await announce('fails-to-load.jpg');
		expect(await announce('lake.jpg')).toHaveProperty('skipped', true);
		await publish();
		const { action_sn, message: reason } = posts('Failed once')[0]!;
		const { post_title: title, permalink: link } = post;
		expect(await flow.output('Write the Message')).toEqual({
			...{ title, link, account: 'acc_1024', reason },
			message:
				`The post of “${title}” failed: account acc_1024, ${link}\n` +
				`The platform's reason: ${reason}\n` +
				'Change the picture or the text of the article, and announce it again.',
		});
		expect(await announce('lake.jpg')).not.toHaveProperty('skipped');
		// The same report again, in another event.
		const failed = { action_sn, status: 'failed', social_account_id: 'acc_1024' };
		await flow.report('Post Failed', failed);
		await flow.report('Post Failed', { ...failed, status: 'under_review' });
		await flow.ended('Failed?', 3);
		expect(await announce('lake.jpg')).toHaveProperty('skipped', true);
		expect(posts('Failed once')).toHaveLength(2);
		setup.emulator.setWebhook(undefined);
	});
}
