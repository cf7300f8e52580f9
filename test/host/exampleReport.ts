import { DataTable } from '../n8n/dataTable';
import { mailCredential } from './exampleFailures';
import { ExampleFlow } from './exampleFlow';
import { mailbox, type Mailbox } from './mailbox';
import type { Setup } from '../n8n/setup';

/** Tests the example that sends a weekly report. */
export function testReport(setup: () => Setup): void {
	describe('the example with a weekly report', () => {
		let box: Mailbox;
		let flow: ExampleFlow;
		beforeAll(async () => {
			box = await mailbox();
			const mail = await mailCredential(setup(), box);
			flow = await (await ExampleFlow.of(setup(), 'weekly-report', { service: mail })).activate();
		});
		afterAll(async () => await box?.stop());

		async function report(): Promise<{ subject?: string; body: string }> {
			expect(await flow.run('Every Monday')).toMatchObject({ status: 'success' });
			const { subject, body } = box.mails.at(-1)!;
			return { subject, body };
		}

		it('reports a week without posts', async () => {
			expect(await report()).toEqual({
				subject: 'Posts of the last seven days: 0 published, 0 failed',
				body: expect.stringContaining('<li>No failed posts.</li>') as string,
			});
			expect(box.mails).toHaveLength(1);
		});

		it('counts the posts of the week by their last status', async () => {
			const events = [
				['SR1', 'published'],
				['SR2', 'failed', '<b>A & B</b>'],
				['SR3', 'published'],
				['SR4', 'published'],
				['SR4', 'deleted'],
				['SR5', 'processing'],
			];
			let number = 0;
			for (const [action_sn, status, message] of events) {
				const data = { action_sn, social_post_id: 7, social_account_id: 'acc_1', status, message };
				const event = { id: `evt_report_${++number}`, data };
				const url = flow.url('Post Status Changed');
				const { attempts } = await setup().emulator.deliver(event, { url });
				expect(attempts).toMatchObject([{ status: 200 }]);
				await flow.ended('Save the Status', Math.min(number, 5));
			}
			const table = await DataTable.of(setup().rest, 'post_statuses');
			const reported_at = new Date(Date.now() - 8 * 86_400_000).toISOString();
			await table.add({ action_sn: 'SR0', outcome: 'failed', reported_at });
			expect(await table.rows()).toHaveLength(5);
			const { subject, body } = await report();
			expect(subject).toBe('Posts of the last seven days: 2 published, 1 failed');
			expect(body).toContain('<p>2 published, 1 failed, 1 with another status.</p>');
			const failed = 'failed, account acc_1, post 7, SR2, &lt;b>A &amp; B&lt;/b>';
			expect(body).toContain(`<li>${failed}</li><li>deleted, account acc_1, post 7, SR4, </li>`);
			expect(body).not.toContain('SR0');
		});
	});
}
