import { NodeHelpers, type INodeParameters } from 'n8n-workflow';
import { SocialOpenPlatformApi } from '../../../credentials/SocialOpenPlatformApi.credentials';

const { properties } = new SocialOpenPlatformApi();

const basics = { baseUrl: 'https://api.example.com', appId: 'id', appSecret: 'secret' };

/** The data that n8n passes to nodes, or that its editor stores. */
const read = (data: INodeParameters, withDefaults = true) =>
	NodeHelpers.getNodeParameters(properties, data, withDefaults, false, null, null)!;

/** The names of the fields that the editor shows for credential data. */
const shownFor = (data: INodeParameters) => {
	const defaults = properties.map(({ name, default: value }) => [name, value] as const);
	const all = { ...Object.fromEntries(defaults), ...data };
	return properties
		.filter((property) => property.type !== 'hidden')
		.filter((property) => NodeHelpers.displayParameter(all, property, null, null))
		.map(({ name }) => name);
};

const first = ['baseUrl', 'appId', 'appSecret', 'accounts', 'onlyListedAccounts'];
const always = [...first, 'showAdvancedSettings'];
const advanced = [
	...['platformName', 'renewalCodes', 'rateLimitCodes', 'chatAuthHeader', 'chatAuthPrefix'],
	...['autoCropImageField', 'collaboratorsField', 'locationIdField', 'trialSettingsField'],
	...['videoCoverImageField', 'videoCoverOffsetField'],
	...['signatureRecipe', 'allowPlainHttp'],
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
		const withParts = { ...on, signatureRecipe: 'custom' };
		const names = shownFor(withParts);
		expect(names).toStrictEqual(
			[...new Set(properties.map(({ name }) => name))].filter((name) => name !== 'accessToken'),
		);
		expect(shownFor({ ...on, ...changed })).toStrictEqual(names);
	});

	test.each(Object.entries(changed))('does not hide %s while it is %j', (name, value) => {
		const data = { ...basics, [name]: value };
		const names = shownFor(data);
		expect(names.filter((one) => one === name)).toHaveLength(1);
		expect(names.filter((one) => advanced.includes(one))).toStrictEqual([name]);
	});

	test.each([false, true])('does not change stored values when it is %s', (isOn) => {
		const data = { ...basics, ...changed, showAdvancedSettings: isOn };
		const parts = { videoCoverImageField: 'cover', signedContent: '{timestamp}{body}' };
		expect(read({ ...data, ...parts })).toMatchObject({ ...changed, ...parts });
		expect(read({ ...data, ...parts }, false)).toMatchObject({ ...changed, ...parts });
		expect(read({ ...basics, ...changed, ...parts })).toMatchObject({ ...changed, ...parts });
	});
});
