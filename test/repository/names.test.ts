import { SocialOpenPlatformApi } from '../../credentials/SocialOpenPlatformApi.credentials';
import { chatOptionsSchema } from '../../nodes/SocialOpenPlatform/chat/fields';
import { fields } from '../../nodes/SocialOpenPlatform/post/fields';
import { sendingSchema } from '../../nodes/SocialOpenPlatform/post/post';
import { sendingOptions } from '../../nodes/SocialOpenPlatform/post/sendingOptions';
import { SocialOpenPlatform } from '../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { SocialOpenPlatformChatModel } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformChatModel.node';
import { SocialOpenPlatformTrigger } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformTrigger.node';
import { recipes } from '../../nodes/SocialOpenPlatform/webhook/signature';
import packageJson from '../../package.json';
import { allOf, pathsOf, shownFor, valuesOf } from './parameterPaths';

const credential = new SocialOpenPlatformApi();
const { description: node } = new SocialOpenPlatform();
const { description: model } = new SocialOpenPlatformChatModel();
const { description: trigger } = new SocialOpenPlatformTrigger();

const post = shownFor('post', node.properties);
const chat = shownFor('chat', node.properties);

const words = (text: string) => text.split(' ');

/** The names in saved workflows. Add new ones, and change none. */
describe('The names in saved workflows', () => {
	test('include the package, the credential and the node types', () => {
		expect(packageJson.name).toBe('n8n-nodes-social-open-platform');
		expect([credential.name, node.name, model.name, trigger.name]).toEqual([
			...['socialOpenPlatformApi', 'socialOpenPlatform', 'socialOpenPlatformChatModel'],
			'socialOpenPlatformTrigger',
		]);
		for (const { credentials } of [node, model, trigger]) {
			expect(credentials).toEqual([{ name: 'socialOpenPlatformApi', required: true }]);
		}
		expect([node.version, model.version, trigger.version]).toEqual([1, 1, 2]);
		expect([node, model, trigger].flatMap(({ group }) => group)).toEqual([
			...['output', 'transform', 'trigger'],
		]);
		expect(trigger.webhooks).toMatchObject([{ httpMethod: 'POST', path: 'webhook' }]);
		expect(model).toMatchObject({ inputs: [], outputs: ['ai_languageModel'] });
	});

	test.each([
		['resource', node.properties, 'post chat'],
		['operation', post, 'create validate clear'],
		['contentType', post, 'POST REEL STORY'],
		['publishTime', post, 'now at'],
		['socialAccountId', post, 'list id'],
		['textFormat', post, 'html markdown plain'],
		['trialReel', post, 'SS_PERFORMANCE MANUAL OFF'],
		['operation', chat, 'complete respond'],
		['specifyMessages', chat, 'fields json'],
		['role', chat, 'user system assistant'],
		['outputFormat', chat, 'json_object json_schema text'],
		[
			'events',
			trigger.properties,
			'* accepted deleted failed processing published queued retrying submitting',
		],
		['signatureRecipe', credential.properties, `${Object.keys(recipes).join(' ')} custom`],
		['signatureDigest', credential.properties, 'sha256 sha512 sha1 md5'],
		['signatureKeyForm', credential.properties, 'utf8 base64'],
	])('include the values of %s', (name, properties, expected) => {
		expect(valuesOf(name, properties)?.toSorted()).toEqual(words(expected).toSorted());
	});

	test.each([
		[
			'posts',
			post,
			'resource operation socialAccountId text mediaUrls contentType publishTime publishAt postOptions.altText postOptions.autoCropImage postOptions.autoFitImage postOptions.collaborators postOptions.hashtags postOptions.locationId postOptions.additionalBodyFields postOptions.shareToFeed postOptions.shortenText postOptions.textFormat postOptions.title postOptions.trialReel postOptions.videoCoverImageUrl postOptions.videoCoverOffset options.checkMedia options.oncePerKey options.fileLinkValidity options.maxConcurrentRequests options.maxPostsPerRun options.minimumInterval options.resendUnknown options.timeout options.rateLimitWait clearNotice key',
		],
		[
			'chats',
			chat,
			'resource operation model specifyMessages messages.message.role messages.message.content messagesJson instructions input outputFormat jsonSchema strictSchema options.allowIncomplete options.maxTokens options.temperature options.timeout options.rateLimitWait options.additionalBodyFields',
		],
		[
			'the chat model',
			model.properties,
			'model options.maxRetries options.maxTokens options.temperature options.timeout options.additionalBodyFields',
		],
		[
			'the trigger',
			trigger.properties,
			'events socialAccountIds options.duplicateWindow options.timeWindow',
		],
		[
			'the credential',
			credential.properties,
			'baseUrl appId appSecret accessToken accounts.account.name accounts.account.id onlyListedAccounts showAdvancedSettings platformName renewalCodes rateLimitCodes chatAuthHeader chatAuthPrefix autoCropImageField collaboratorsField locationIdField trialSettingsField videoCoverImageField videoCoverOffsetField signatureRecipe signatureDigest signatureKeyed signatureKeyForm signedContent signatureHeader timestampHeader webhookIdHeader nonceHeader allowPlainHttp',
		],
	])('include the parameters of %s', (_, properties, expected) => {
		const paths = properties.flatMap((property) => pathsOf(property));
		expect([...new Set(paths)]).toEqual(words(expected));
	});

	const all = allOf([...node.properties, ...credential.properties]);

	test('include the defaults of choices', () => {
		for (const one of all.filter(({ type }) => type === 'options')) {
			expect(valuesOf(one.name, [one])).toContain(one.default);
		}
	});

	test('include the lists', () => {
		const lists = all.filter(({ typeOptions }) => typeOptions?.multipleValues);
		expect(lists.map(({ name }) => name)).toEqual([
			'mediaUrls',
			'collaborators',
			'messages',
			'accounts',
		]);
	});

	test('include the signature recipes', () => {
		expect(Object.keys(recipes)).toEqual(
			words('body timestampBody standardWebhooks bodySha512 sortedFields'),
		);
	});
});

describe('The declared options', () => {
	const optionsOf = [...chat, ...model.properties].flatMap(({ name, options = [] }) =>
		name === 'options' ? (options as Array<{ name: string; default: unknown }>) : [],
	);

	test('are exactly those that are read', () => {
		const sending = sendingOptions.options!.map(({ name }) => name);
		expect(Object.keys(sendingSchema().shape).sort()).toEqual(sending.sort());
		const names = new Set(optionsOf.map(({ name }) => name));
		expect(Object.keys(chatOptionsSchema().shape).sort()).toEqual([...names].sort());
	});

	test('of the chat have the defaults that apply when they are missing', () => {
		const defaults: Record<string, unknown> = chatOptionsSchema().parse({});
		for (const { name, default: shown } of optionsOf) {
			expect([name, defaults[name] ?? shown]).toEqual([name, shown]);
		}
	});
});

test('Each name in the request and each setting of the credential belongs to one field', () => {
	const names = fields.flatMap(({ name, setting }) => [name ?? [], setting?.[0] ?? []].flat());
	expect(names).toEqual([...new Set(names)]);
});
