import { NodeHelpers, type INodeParameters } from 'n8n-workflow';
import { SocialOpenPlatformApi } from '../../../credentials/SocialOpenPlatformApi.credentials';

const { properties } = new SocialOpenPlatformApi();

const basics = { baseUrl: 'https://api.example.com', appId: 'id', appSecret: 'secret' };

/** The names of the fields that the editor shows for credential data. */
const shownFor = (data: INodeParameters) => {
	const defaults = properties.map(({ name, default: value }) => [name, value] as const);
	const all = { ...Object.fromEntries(defaults), ...data };
	return properties
		.filter((property) => property.type !== 'hidden')
		.filter((property) => NodeHelpers.displayParameter(all, property, null, null))
		.map(({ name }) => name);
};

const always = [
	...['baseUrl', 'appId', 'appSecret', 'accounts', 'onlyListedAccounts', 'showAdvancedSettings'],
];
const advanced = [
	...['platformName', 'renewalCodes', 'rateLimitCodes', 'chatAuthHeader', 'chatAuthPrefix'],
	...['autoCropImageField', 'collaboratorsField', 'locationIdField', 'trialSettingsField'],
	...['videoCoverImageField', 'videoCoverOffsetField', 'signatureRecipe', 'allowPlainHttp'],
];

/** Values other than the defaults. */
const changed: INodeParameters = {
	...{ platformName: 'Video', renewalCodes: '7', rateLimitCodes: '', collaboratorsField: 'c' },
	...{ signatureRecipe: 'custom', chatAuthHeader: '={{ $vars.header }}', chatAuthPrefix: '' },
	allowPlainHttp: true,
};

describe('Show Advanced Settings', () => {
	test('hides every other setting that has its default value', () => {
		expect(shownFor(basics)).toStrictEqual(always);
	});

	test('shows every other setting once', () => {
		const on = { ...basics, showAdvancedSettings: true };
		expect(shownFor(on)).toStrictEqual([...always, ...advanced]);
		const names = new Set(properties.map(({ name }) => name));
		names.delete('accessToken');
		for (const more of [{ signatureRecipe: 'custom' }, changed]) {
			expect(shownFor({ ...on, ...more })).toStrictEqual([...names]);
		}
	});

	test.each(Object.entries(changed))('does not hide %s while it is %j', (name, value) => {
		const names = shownFor({ ...basics, [name]: value });
		expect(names.filter((one) => advanced.includes(one))).toStrictEqual([name]);
	});

	test.each([false, true, undefined])(
		'does not change stored values when it is %s',
		(showAdvancedSettings) => {
			const parts = { videoCoverImageField: 'cover', signedContent: '{timestamp}{body}' };
			const data = { ...basics, ...changed, ...parts, showAdvancedSettings };
			for (const withDefaults of [true, false]) {
				expect(
					NodeHelpers.getNodeParameters(
						properties,
						data as INodeParameters,
						withDefaults,
						false,
						null,
						null,
					),
				).toMatchObject({ ...changed, ...parts });
			}
		},
	);
});
