import { webhookReceiver } from '../emulator/webhook-receiver';
import { ExampleFlow } from './exampleFlow';
import { mailbox, type Mailbox } from './mailbox';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

const SLACK = 'Send to Slack or Mattermost';
const TEAMS = 'Send to Teams';

const failure = (action_sn: string, reason: string) => ({
	id: `evt_${action_sn}`,
	data: {
		action_sn,
		social_post_id: 4711,
		status: 'failed',
		social_account_id: 'acc_1',
		message: reason,
	},
});

const message = (action: string, reason: string) =>
	`A post failed: account acc_1, post 4711 (${action}), status failed.\n` +
	`The platform's reason: ${reason}\n` +
	"Check it in the platform's console before you post it again.";

/** A credential for a mail server without authentication. */
export const mailCredential = async (
	setup: Pick<Setup, 'rest'>,
	{ port }: Mailbox,
): Promise<Credential> =>
	await setup.rest.createCredential({
		name: 'mail',
		type: 'smtp',
		data: { host: '127.0.0.1', port, secure: false, disableStartTls: true, user: '', password: '' },
	});

/** Tests the examples that report failed posts to a chat and by email. */
export function testFailures(setup: () => Setup): void {
	describe('the example that reports a failed post to a chat', () => {
		const report = async (node: string, other: string, reason: string) => {
			const chat = await webhookReceiver([503]);
			try {
				const name = 'post-failed-to-chat';
				const filling = { parameters: { [node]: { url: chat.url } }, off: [other] };
				const flow = await (await ExampleFlow.of(setup(), name, filling)).activate();
				const url = flow.url('Post Failed');
				const { attempts } = await setup().emulator.deliver(failure('SC1', reason), { url });
				expect(attempts).toMatchObject([{ status: 200 }]);
				const [execution] = await flow.ended(node, 1);
				expect(execution).toMatchObject({ status: 'success' });
				expect(chat.received).toHaveLength(2);
				return JSON.parse(chat.received[1]!.body) as unknown;
			} finally {
				await chat.close();
			}
		};

		it('sends to Slack or Mattermost again after an error, without notifying the channel', async () => {
			expect(await report(SLACK, TEAMS, '<!channel> "A & B"')).toEqual({
				text: message('SC1', '&lt;!channel&gt; "A &amp; B"'),
			});
		});

		it('sends to Teams if that node is activated', async () => {
			// A card shows lines without an empty line between them as one line.
			const paragraphs = message('SC1', '原因 "x"').replaceAll('\n', '\n\n');
			expect(await report(TEAMS, SLACK, '原因 "x"')).toMatchObject({
				type: 'message',
				attachments: [{ content: { body: [{ type: 'TextBlock', text: paragraphs }] } }],
			});
		});
	});

	describe('the example that reports a failed post by email', () => {
		let box: Mailbox;
		beforeAll(async () => (box = await mailbox()));
		afterAll(async () => await box?.stop());

		it('sends an email with the reason', async () => {
			const mail = await mailCredential(setup(), box);
			const flow = await ExampleFlow.of(setup(), 'post-failed-to-mail', { service: mail });
			await flow.activate();
			const url = flow.url('Post Failed');
			await setup().emulator.deliver(failure('SM1', '图片不符合要求'), { url });
			const published = { id: 'evt_SM2', data: { action_sn: 'SM2', status: 'published' } };
			await setup().emulator.deliver(published, { url });
			await flow.ended('Send the Email', 1);
			expect(box.mails).toMatchObject([
				{
					from: 'n8n@example.com',
					to: ['team@example.com'],
					subject: 'A post failed (SM1)',
					body: message('SM1', '图片不符合要求'),
				},
			]);
		});
	});
}
