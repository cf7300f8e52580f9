import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../emulator';
import { withToken } from '../../storedToken';
import { samples } from '../../unit/post/mediaSamples';
import { fromAI, runAgent } from '../harness/agentRun';
import type { NodeRun } from '../harness/engine';
import { FileHost } from '../harness/fileHost';
import type { Platform } from '../harness/platform';
import type { QuotedMessages } from './quotedMessages';

/** Returns the message that n8n shows for Create Post with these parameters. */
const createError =
	(parameters: IDataObject, more?: Partial<NodeRun>) => async (platform: Platform) =>
		(await platform.run(parameters, more)).error?.message;

const withFault =
	(fault: FaultSpec, options: IDataObject = {}) =>
	async (platform: Platform) => {
		platform.emulator.fault({ ...fault, operation: 'createPost', times: 9 });
		return await createError({ options })(platform);
	};

const withCredential = (fields: IDataObject) => async (platform: Platform) => {
	Object.assign(platform.credential, fields);
	return await createError({})(platform);
};

/** The messages of Create Post, as errors or as notes on items. */
export const postMessages: QuotedMessages = {
	'It is not known whether the platform accepted the post: …': withFault({
		kind: 'server-error-after',
	}),
	'Nothing was sent for the post. …': withCredential({ appSecret: 'mistyped' }),
	'Nothing was sent for the post: …': async (platform) =>
		await withCredential(withToken({ ...platform.credential, baseUrl: 'http://127.0.0.1:9' }, 'a'))(
			platform,
		),
	"'Account' is empty": createError({ socialAccountId: '={{ $json.account }}' }),
	"'Account' (…) is not listed in the credential": withCredential({
		...{ onlyListedAccounts: true, accounts: { account: [{ name: 'Harbour', id: 'acc_9' }] } },
	}),
	"'Text' has an expression that returns no value for this item": createError({
		text: '={{ $json.n.toFixed(2) }}',
	}),
	"'Media' row … is not a valid link": createError({ mediaUrls: ['C:\\pictures\\a.jpg'] }),
	"'Media' contains a file, but the platform cannot reach this n8n at …": async (platform) => {
		Object.assign(platform.credential, { baseUrl: 'https://api.example.com' });
		const host = await FileHost.start();
		const data = await host.store(samples.jpeg, 'photo.jpg');
		await host.stop();
		const more = { files: [{ data }], restApiUrl: 'http://localhost:5678/rest' };
		return await createError({ mediaUrls: ['={{ $binary.data }}'] }, more)(platform);
	},
	"'Publish At' is in the past: it was understood as …": createError({
		...{ publishTime: 'at', publishAt: '2020-01-01T09:00' },
	}),
	"'Account' uses data of the current item, which an agent can change": async (platform) => {
		const [told] = await runAgent({
			...{ platform, turns: [[{ text: 'hello' }]] },
			parameters: { socialAccountId: '={{ $json.account }}', text: fromAI('text') },
		});
		return told!.error as string;
	},
	"'Deduplication Key' is empty for this item": createError({
		options: { oncePerKey: '={{ $json.slug }}' },
	}),
	"'Max Posts per Run' is …, but … posts are to be sent": createError(
		{ options: { maxPostsPerRun: 1 } },
		{ items: [{}, {}] },
	),
	'The platform refused the post: the request was not accepted (…)': withFault({
		...{ kind: 'refused', code: 2150, message: 'invalid parameter' },
	}),
	'The platform refused the post: the access token was not accepted': withFault({
		kind: 'token-rejected-200',
	}),
	'The platform refused the post: no permission': withFault({
		...{ kind: 'refused', code: 1003, message: 'permission denied' },
	}),
	'The platform refused the post: there is no API endpoint at this address': withCredential({
		platformName: 'Video',
	}),
	'The platform refused the post: too many requests': withFault(
		{ kind: 'too-frequent-200' },
		{ rateLimitWait: 0 },
	),
	"Not posted, because the key '…' was posted before.": async (platform) => {
		const parameters = { options: { oncePerKey: 'article-4711' } };
		const more = { workflowId: `repeatedKey-${platform.credential.appId as string}` };
		await platform.run(parameters, more);
		return (await platform.run(parameters, more)).outputs[0]![0]!.json.note as string;
	},
	'This post was already accepted earlier in this execution.': async (platform) => {
		const told = await runAgent({
			...{ platform, turns: [[{ text: 'hello' }], [{ text: 'hello' }]] },
			parameters: { socialAccountId: 'acc_1', text: fromAI('text') },
		});
		return told[1]!.note as string;
	},
};
