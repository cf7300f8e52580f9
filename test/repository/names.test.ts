import { readFileSync } from 'node:fs';
import { SocialOpenPlatformApi } from '../../credentials/SocialOpenPlatformApi.credentials';
import { optionLabels, sendingSchema } from '../../nodes/SocialOpenPlatform/post/sendingOptions';
import { fields as rows } from '../../nodes/SocialOpenPlatform/post/fields';
import { SocialOpenPlatform } from '../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';
import { SocialOpenPlatformTrigger } from '../../nodes/SocialOpenPlatform/SocialOpenPlatformTrigger.node';
import { recipes } from '../../nodes/SocialOpenPlatform/webhook/signature';
import packageJson from '../../package.json';
import { pathsOf, shownFor, valuesOf } from './parameterPaths';

const credential = new SocialOpenPlatformApi();
const { description } = new SocialOpenPlatform();
const { description: trigger } = new SocialOpenPlatformTrigger();

const post = shownFor('post', description.properties);

describe('The names in saved workflows', () => {
	test('include the package, the credential and the node types', () => {
		expect(packageJson.name).toBe('n8n-nodes-social-open-platform');
		expect(credential.name).toBe('socialOpenPlatformApi');
		expect(description.name).toBe('socialOpenPlatform');
		expect(description.credentials).toEqual([{ name: 'socialOpenPlatformApi', required: true }]);
	});

	test('include the resources and operations', () => {
		expect(valuesOf('resource', post)).toEqual(['post', 'chat']);
		expect(valuesOf('operation', post)).toEqual(['create', 'validate', 'clear']);
		expect(valuesOf('contentType', post)).toEqual(['POST', 'REEL', 'STORY']);
		expect(valuesOf('publishTime', post)).toEqual(['now', 'at']);
	});

	test('include the parameters of posts (add new ones to the list, and change none)', () => {
		expect(post.flatMap((property) => pathsOf(property))).toEqual([
			'resource',
			'operation',
			'socialAccountId',
			'text',
			'mediaUrls',
			'contentType',
			'publishTime',
			'publishAt',
			'postOptions.altText',
			'postOptions.autoCropImage',
			'postOptions.autoFitImage',
			'postOptions.collaborators',
			'postOptions.hashtags',
			'postOptions.locationId',
			'postOptions.additionalBodyFields',
			'postOptions.shareToFeed',
			'postOptions.shortenText',
			'postOptions.textFormat',
			'postOptions.title',
			'postOptions.trialReel',
			'postOptions.videoCoverImageUrl',
			'postOptions.videoCoverOffset',
			'options.checkMedia',
			'options.oncePerKey',
			'options.fileLinkValidity',
			'options.maxConcurrentRequests',
			'options.maxPostsPerRun',
			'options.minimumInterval',
			'options.resendUnknown',
			'options.timeout',
			'options.rateLimitWait',
			'clearNotice',
			'socialAccountId',
			'key',
		]);
	});

	test('include the trigger and its parameters', () => {
		expect(trigger.name).toBe('socialOpenPlatformTrigger');
		expect(trigger.version).toBe(2);
		expect(trigger.credentials).toEqual([{ name: 'socialOpenPlatformApi', required: true }]);
		expect(trigger.webhooks).toMatchObject([{ httpMethod: 'POST', path: 'webhook' }]);
		expect(trigger.properties.flatMap((property) => pathsOf(property))).toEqual([
			'events',
			'socialAccountIds',
			'options.duplicateWindow',
			'options.includeHeaders',
			'options.timeWindow',
		]);
		expect(valuesOf('events', trigger.properties)).toEqual([
			'*',
			...['accepted', 'deleted', 'failed', 'processing', 'published', 'queued', 'retrying'],
			'submitting',
		]);
	});

	test('include the signature recipes', () => {
		const recipe = credential.properties.find(({ name }) => name === 'signatureRecipe');
		expect(recipe?.options?.map((option) => 'value' in option && option.value)).toEqual([
			...Object.keys(recipes),
			'custom',
		]);
		expect(Object.keys(recipes)).toEqual([
			...['body', 'timestampBody', 'standardWebhooks', 'bodySha512', 'sortedFields'],
		]);
	});

	test('include the fields of the credential', () => {
		expect([...new Set(credential.properties.map(({ name }) => name))]).toEqual([
			'baseUrl',
			'appId',
			'appSecret',
			'accessToken',
			'accounts',
			'onlyListedAccounts',
			'showAdvancedSettings',
			'platformName',
			'renewalCodes',
			'rateLimitCodes',
			'chatAuthHeader',
			'chatAuthPrefix',
			'autoCropImageField',
			'collaboratorsField',
			'locationIdField',
			'trialSettingsField',
			'videoCoverImageField',
			'videoCoverOffsetField',
			'signatureRecipe',
			'signatureDigest',
			'signatureKeyed',
			'signatureKeyForm',
			'signedContent',
			'signatureHeader',
			'timestampHeader',
			'webhookIdHeader',
			'nonceHeader',
			'allowPlainHttp',
		]);
	});
});

describe('The declared parameters', () => {
	const source = (file: string) =>
		readFileSync(`${__dirname}/../../nodes/SocialOpenPlatform/${file}`, 'utf8');

	test('under the options of Create are exactly those that are read', () => {
		const declared = Object.keys(optionLabels).filter((name) => name !== 'options');
		expect(Object.keys(sendingSchema().shape).sort()).toEqual(declared.sort());
		const users = [
			'items/run',
			'post/create.operation',
			'post/media/check',
			'post/sendingOptions',
			'post/send',
		];
		const code = users.map((file) => source(`${file}.ts`)).join('\n');
		for (const name of declared) expect(code).toMatch(new RegExp(`\\b${name}\\b`));
	});

	test('of the credential are exactly those that are read', () => {
		const settings = source('platform/settings.ts') + source('webhook/delivery.ts');
		const names = credential.properties.map(({ name }) => name);
		const ofFields = rows.flatMap(({ setting }) => setting?.[0] ?? []);
		const others = ['showAdvancedSettings', ...ofFields];
		for (const name of names.filter((one) => !others.includes(one))) {
			expect(settings).toMatch(new RegExp(`^\\t+${name}: (?!own)`, 'm'));
		}
	});

	test('of the trigger are exactly those that are read', () => {
		const read = [...source('webhook/parameters.ts').matchAll(/^\t+(\w+): (?:z\b|bounded)/gm)].map(
			([, name]) => name,
		);
		const paths = trigger.properties.flatMap((property) => pathsOf(property));
		const declared = new Set(paths.map((path) => path.split('.').at(-1)));
		expect(read.sort()).toEqual([...declared].sort());
	});

	test('have the labels that messages contain', () => {
		const fields = JSON.stringify(credential.properties);
		for (const [, label] of source('platform/settings.ts').matchAll(
			/(?:filled|signed)\('([^']+)'\)/g,
		)) {
			expect(fields).toContain(`"displayName":"${label}"`);
		}
	});
});
