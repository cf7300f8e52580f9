import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../emulator';
import type { NodeRun } from '../harness/engine';
import { SeenStore } from '../harness/seenStore';
import { fromAI, talk } from '../harness/talk';
import { onPlatform, type Troubles } from './troubles';

/** The message that n8n shows when Create Post has these parameters. */
const creating = (parameters: IDataObject, more?: Partial<NodeRun>) =>
	onPlatform(async (platform) => (await platform.run(parameters, more)).error?.message);

const answered = (fault: FaultSpec, options: IDataObject = {}) =>
	onPlatform(async (platform) => {
		platform.emulator.fault({ ...fault, operation: 'createPost', times: 9 });
		return (await platform.run({ options })).error?.message;
	});

const withCredential = (fields: IDataObject) =>
	onPlatform(async (platform) => {
		Object.assign(platform.credential, fields);
		return (await platform.run()).error?.message;
	});

let seen: Promise<unknown> | undefined;
/** n8n's list of keys, which can be installed once in a process. */
const installed = async () => await (seen ??= SeenStore.install());

/** The note on an item whose key was taken before. */
const again = (before?: FaultSpec) =>
	onPlatform(async (platform) => {
		await installed();
		if (before) platform.emulator.fault({ ...before, operation: 'createPost' });
		const parameters = { options: { oncePerKey: 'article-4711' } };
		const more = { workflowId: `again-${platform.credential.appId as string}` };
		await platform.run(parameters, more);
		return (await platform.run(parameters, more)).outputs[0]![0]!.json.note as string;
	});

/** Messages of Create Post, as errors or as notes on items. */
export const postTroubles: Troubles = {
	'Nothing was sent for the post. …': withCredential({ appSecret: 'mistyped' }),
	'Nothing was sent for the post: …': onPlatform(async (platform) => {
		await platform.emulator.stop();
		Object.assign(platform.credential, { accessToken: 'a-token' });
		return (await platform.run()).error?.message;
	}),
	"'Social Account ID' is empty": creating({ socialAccountId: '={{ $json.account }}' }),
	"'Text' has an expression that returns no value for this item": creating({
		text: '={{ $json.n.toFixed(2) }}',
	}),
	"'Text' is not text but a date; format it": creating({ text: '={{ $now }}' }),
	"'Media URLs' row … is not a valid link; it must start with https:// or http:// and contain no spaces":
		creating({ mediaUrls: ['C:\\pictures\\a.jpg'] }),
	"'Publish At' is in the past: it was understood as …": creating({
		...{ publishTime: 'at', publishAt: '2020-01-01T09:00' },
	}),
	"'Publish At' (…) has no offset, and the workflow's time zone '…' is not known": creating(
		{ publishTime: 'at', publishAt: '2099-01-01T09:00' },
		{ timezone: 'Mars/Phobos' },
	),
	"'Deduplication Key' is empty for this item": creating({
		options: { oncePerKey: '={{ $json.slug }}' },
	}),
	'Nothing was sent: this workflow was never saved': creating(
		{ options: { oncePerKey: 'article-4711' } },
		{ workflowId: null },
	),
	'The platform refused the post: … the request was refused as invalid)': answered({
		...{ kind: 'refused', code: 2150, message: 'invalid parameter' },
	}),
	'The platform refused the post: … the access token was not accepted)': answered({
		kind: 'token-rejected-200',
	}),
	'The platform refused the post: … no permission)': answered({
		...{ kind: 'refused', code: 1003, message: 'permission denied' },
	}),
	'The platform refused the post: … there is no API endpoint at this address)': withCredential({
		platformName: 'Video',
	}),
	'The platform refused the post: … too many requests)': answered(
		{ kind: 'too-frequent-200' },
		{ rateLimitWait: 0 },
	),
	'It is not known whether the platform accepted the post: …': answered({
		kind: 'server-error-after',
	}),
	"Not posted, because the key '…' was posted before.": again(),
	"Not posted, because the key '…' was sent before and its outcome is unknown.": again({
		kind: 'server-error-after',
	}),
	'This post was already accepted earlier in this execution. It was not published a second time.':
		onPlatform(async (platform) => {
			const told = await talk({
				...{ platform, turns: [[{ text: 'hello' }], [{ text: 'hello' }]] },
				parameters: { socialAccountId: 'acc_1', text: fromAI('text') },
			});
			return told[1]!.note as string;
		}),
};
