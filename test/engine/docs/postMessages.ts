import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../emulator';
import type { NodeRun } from '../harness/engine';
import { samples } from '../../unit/post/mediaSamples';
import { FileHost } from '../harness/fileHost';
import { DeduplicationStore } from '../harness/deduplicationStore';
import { fromAI, runAgent } from '../harness/agentRun';
import { onPlatform, type QuotedMessages } from './quotedMessages';
import { withToken } from '../../storedToken';

/** Returns the message that n8n shows for Create Post with these parameters. */
const createError = (parameters: IDataObject, more?: Partial<NodeRun>) =>
	onPlatform(async (platform) => (await platform.run(parameters, more)).error?.message);

const withFault = (fault: FaultSpec, options: IDataObject = {}) =>
	onPlatform(async (platform) => {
		platform.emulator.fault({ ...fault, operation: 'createPost', times: 9 });
		return (await platform.run({ options })).error?.message;
	});

const withCredential = (fields: IDataObject) =>
	onPlatform(async (platform) => {
		Object.assign(platform.credential, fields);
		return (await platform.run()).error?.message;
	});

let installing: Promise<unknown> | undefined;
/** Installs n8n's list of keys, which is possible only once in a process. */
const installStore = async () => await (installing ??= DeduplicationStore.install());

/** Returns the note on an item whose key was used before. */
const repeatedKey = () =>
	onPlatform(async (platform) => {
		await installStore();
		const parameters = { options: { oncePerKey: 'article-4711' } };
		const more = { workflowId: `repeatedKey-${platform.credential.appId as string}` };
		await platform.run(parameters, more);
		return (await platform.run(parameters, more)).outputs[0]![0]!.json.note as string;
	});

/** The messages of Create Post, as errors or as notes on items. */
export const postMessages: QuotedMessages = {
	'It is not known whether the platform accepted the post: …': withFault({
		kind: 'server-error-after',
	}),
	'Nothing was sent for the post. …': withCredential({ appSecret: 'mistyped' }),
	'Nothing was sent for the post: …': onPlatform(async (platform) => {
		await platform.emulator.stop();
		withToken(platform.credential, 'a-token');
		return (await platform.run()).error?.message;
	}),
	"'Account' is empty": createError({ socialAccountId: '={{ $json.account }}' }),
	"'Account' (…) is not listed in the credential": withCredential({
		...{ onlyListedAccounts: true, accounts: { account: [{ name: 'Harbour', id: 'acc_9' }] } },
	}),
	"'Text' has an expression that returns no value for this item": createError({
		text: '={{ $json.n.toFixed(2) }}',
	}),
	"'Media' row … is not a valid link": createError({ mediaUrls: ['C:\\pictures\\a.jpg'] }),
	"'Media' contains a file, but the platform cannot reach this n8n at …": onPlatform(
		async (platform) => {
			Object.assign(platform.credential, { baseUrl: 'https://api.example.com' });
			const host = await FileHost.start();
			const data = await host.store(samples.jpeg, 'photo.jpg');
			await host.stop();
			const more = { files: [{ data }], restApiUrl: 'http://localhost:5678/rest' };
			return (await platform.run({ mediaUrls: ['={{ $binary.data }}'] }, more)).error?.message;
		},
	),
	"'Publish At' is in the past: it was understood as …": createError({
		...{ publishTime: 'at', publishAt: '2020-01-01T09:00' },
	}),
	"'Account' uses data of the current item, which an agent can change": onPlatform(
		async (platform) => {
			const [told] = await runAgent({
				...{ platform, turns: [[{ text: 'hello' }]] },
				parameters: { socialAccountId: '={{ $json.account }}', text: fromAI('text') },
			});
			return told!.error as string;
		},
	),
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
	"Not posted, because the key '…' was posted before.": repeatedKey(),
	'This post was already accepted earlier in this execution.': onPlatform(async (platform) => {
		const told = await runAgent({
			...{ platform, turns: [[{ text: 'hello' }], [{ text: 'hello' }]] },
			parameters: { socialAccountId: 'acc_1', text: fromAI('text') },
		});
		return told[1]!.note as string;
	}),
};
