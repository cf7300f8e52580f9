import type { IDataObject } from 'n8n-workflow';
import type { DeliverOptions } from '../../emulator';
import { event, startTrigger, type TriggerPlatform } from '../harness/triggerPlatform';
import type { QuotedMessages } from './quotedMessages';

const onTrigger =
	(provoke: (platform: TriggerPlatform) => Promise<string | undefined>, parameters?: IDataObject) =>
	async (): Promise<string | undefined> => {
		const platform = await startTrigger(parameters);
		try {
			return await provoke(platform);
		} finally {
			await platform.stop();
		}
	};

/** Returns the message that the editor shows for a delivery while it listens. */
const listening = (
	options: DeliverOptions,
	credential: IDataObject = {},
	parameters: IDataObject = {},
) =>
	onTrigger(async (platform) => {
		Object.assign(platform.credential, credential);
		platform.host.mode = 'manual';
		await platform.deliver(event(), options);
		return platform.host.executions.at(-1)?.error?.message;
	}, parameters);

/** Returns the message in the response to the last of these deliveries. */
const responseTo = (events: IDataObject[], parameters: IDataObject = {}) =>
	onTrigger(async (platform) => {
		for (const each of events.slice(0, -1)) await platform.deliver(each);
		return JSON.stringify((await platform.deliver(events.at(-1)))?.body);
	}, parameters);

const twice = event();
const HOUR_MS = 3_600_000;

/** The messages of the trigger in the editor and in its responses. */
export const triggerMessages: QuotedMessages = {
	"This delivery is signed with '…'.": listening({ recipe: 'timestampBody' }),
	'This delivery is signed with another method.': listening({
		recipe: { digest: 'sha1', template: '{body}' },
	}),
	'The signature does not match.': listening({
		secret: 'another',
	}),
	'The header … is missing.': listening({
		headers: { 'X-Webhook-Signature': undefined },
	}),
	"The event was filtered out: 'Events' does not include the status '…'": listening(
		{},
		{},
		{ events: ['failed'] },
	),
	'The signed timestamp is … seconds old; 300 are allowed.': listening(
		{ recipe: 'timestampBody', timestamp: Date.now() - HOUR_MS },
		{ signatureRecipe: 'timestampBody' },
	),
	'{"ok":false,"error":"refused"}': onTrigger(async (platform) =>
		JSON.stringify((await platform.deliver(event(), { secret: 'another' }))?.body),
	),
	'{"ok":true,"result":"ignored"}': responseTo([event({ status: 'queued' })], {
		events: ['failed'],
	}),
	'{"ok":true,"result":"duplicate"}': responseTo([twice, twice]),
};
