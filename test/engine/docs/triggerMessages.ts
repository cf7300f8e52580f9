import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { DeliverOptions } from '../../emulator';
import { event, type TriggerPlatform } from '../harness/triggerPlatform';
import type { QuotedMessages } from './quotedMessages';

/** Returns the message that the editor shows for a delivery while it listens. */
const listening =
	(options: DeliverOptions, credential: IDataObject = {}, parameters: INodeParameters = {}) =>
	async ({ host, ...platform }: TriggerPlatform) => {
		Object.assign(platform.credential, credential);
		Object.assign(host, { mode: 'manual' });
		host.node.parameters = parameters;
		await platform.deliver(event(), options);
		return host.executions.at(-1)?.error?.message;
	};

/** Returns the response to the last of these deliveries. */
const responseTo =
	(events: IDataObject[], options: DeliverOptions = {}) =>
	async ({ host, ...platform }: TriggerPlatform) => {
		for (const each of events) await platform.deliver(each, options);
		return JSON.stringify(host.responses.at(-1)?.body);
	};

const twice = event();
const recipe = 'timestampBody';

/** The messages of the trigger in the editor and in its responses. */
export const triggerMessages: QuotedMessages<TriggerPlatform> = {
	"This delivery is signed with '…'.": listening({ recipe }),
	'This delivery is signed with another method.': listening({
		recipe: { digest: 'sha1', template: '{body}' },
	}),
	'The signature does not match.': listening({ secret: 'another' }),
	'The header … is missing.': listening({ headers: { 'X-Webhook-Signature': undefined } }),
	"The event was filtered out: 'Events' does not include the status '…'": listening(
		{},
		{},
		{ events: ['failed'] },
	),
	'The signed timestamp is … seconds old; 300 are allowed.': listening(
		{ recipe, timestamp: Date.now() - 3_600_000 },
		{ signatureRecipe: recipe },
	),
	'{"ok":false,"error":"refused"}': responseTo([event()], { secret: 'another' }),
	'{"ok":true,"result":"ignored"}': responseTo([event({ status: 'queued' })]),
	'{"ok":true,"result":"duplicate"}': responseTo([twice, twice]),
};
