import { webhookReceiver } from '../emulator/webhook-receiver';
import { ExampleFlow } from './exampleFlow';
import { mailbox, type Mailbox } from './mailbox';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

/** A failed post is told to a chat and by mail. */

const SLACK = 'Send to Slack or Mattermost';
const TEAMS = 'Send to Teams';

const failure = (action_sn: string, message: string) => ({
	id: `evt_${action_sn}`,
	data: { action_sn, social_post_id: 4711, status: 'failed', social_account_id: 'acc_1', message },
});

const lines = (action: string, reason: string) =>
	`A post failed: account acc_1, post 4711 (${action}), status failed.\n` +
	`The platform's reason: ${reason}\n` +
	"Check it in the platform's console before you post it again.";

/** A credential for a mail server that asks nobody who he is. */
export const mailCredential = async (
	setup: Pick<Setup, 'rest'>,
	{ port }: Mailbox,
): Promise<Credential> =>
	await setup.rest.createCredential({
		name: 'mail',
		type: 'smtp',
		data: { host: '127.0.0.1', port, secure: false, disableStartTls: true, user: '', password: '' },
	});

export function failuresAreTested(setup: () => Setup): void {
	describe('the example that tells of a failed post in a chat', () => {
		const tell = async (node: string, other: string, reason: string) => {
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

		it('tells Slack or Mattermost, again where they are down, and calls nobody', async () => {
			expect(await tell(SLACK, TEAMS, '<!channel> "A & B"')).toEqual({
				text: lines('SC1', '&lt;!channel&gt; "A &amp; B"'),
			});
		});

		it('tells Teams, where that is switched on', async () => {
			// A card joins lines that have no empty line between them.
			const paragraphs = lines('SC1', '原因 "x"').replaceAll('\n', '\n\n');
			expect(await tell(TEAMS, SLACK, '原因 "x"')).toMatchObject({
				type: 'message',
				attachments: [{ content: { body: [{ type: 'TextBlock', text: paragraphs }] } }],
			});
		});
	});

	describe('the example that tells of a failed post by mail', () => {
		let box: Mailbox;
		beforeAll(async () => (box = await mailbox()));
		afterAll(async () => await box?.stop());

		it('sends the team a mail with the reason', async () => {
			const mail = await mailCredential(setup(), box);
			const flow = await ExampleFlow.of(setup(), 'post-failed-to-mail', { mail });
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
					body: lines('SM1', '图片不符合要求'),
				},
			]);
		});
	});
}
