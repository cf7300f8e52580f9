import {
	claimEvents,
	type WebhookResponse,
} from '../../../nodes/SocialOpenPlatform/webhook/duplicates';
import { pass, settled, useVirtualTime } from '../virtualTime';

const events = [{ subject: 'post 1', state: 'published' }] as Parameters<typeof claimEvents>[1];
/** Claims the events for a delivery, whose response ends when n8n has stored the execution. */
const claim = async (triggerKey: string) => {
	const response = { statusCode: 200, end: () => {} } as unknown as WebhookResponse;
	return { claimed: await claimEvents(triggerKey, events, 60_000, response), response };
};

describe('A repetition of a delivery that n8n still stores', () => {
	useVirtualTime();

	test('waits, and is a duplicate if n8n stores the first one within 0.8 s', async () => {
		const { claimed, response } = await claim('one');
		expect(claimed).toHaveLength(1);
		const repeated = claim('one');
		await pass(799);
		response.end();
		expect((await settled(repeated)).claimed).toEqual([]);
	});

	test('is refused after 0.8 s, because its sender must send it again if n8n fails', async () => {
		await claim('two');
		const repeated = claim('two');
		await pass(800);
		expect((await repeated).claimed).toBe('busy');
	});
});
