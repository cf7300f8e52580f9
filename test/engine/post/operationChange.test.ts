import { NodeHelpers, type INode, type INodeParameters } from 'n8n-workflow';
import { SocialOpenPlatform } from '../../../nodes/SocialOpenPlatform/SocialOpenPlatform.node';

const { description } = new SocialOpenPlatform();

/** The parameters that n8n's editor keeps, or that it shows with their defaults. */
const read = (parameters: INodeParameters, withDefaults: boolean) =>
	NodeHelpers.getNodeParameters(
		description.properties,
		parameters,
		withDefaults,
		false,
		{ typeVersion: 1, parameters } as INode,
		description,
	)!;

/** Changes the operation as n8n's editor does, which then keeps only the fields that are shown. */
const withOperation = (parameters: INodeParameters, operation: string) =>
	read(read({ ...parameters, operation }, true), false);

const given: INodeParameters = {
	socialAccountId: { __rl: true, mode: 'id', value: 'acc_1' },
	contentType: 'REEL',
	text: '={{ $json.text }}',
	mediaUrls: ['={{ $binary.data }}'],
	publishTime: 'at',
	publishAt: '={{ $json.time }}',
	postOptions: { title: 'A title', altText: 'A lake', trialReel: 'SS_PERFORMANCE' },
	options: {
		checkMedia: true,
		oncePerKey: '={{ $json.id }}',
		timeout: 5,
	},
};

const post = read(given, false);

test('Create that is changed to Validate and back keeps its fields and options', () => {
	expect(post).toMatchObject(given);
	const changed = withOperation(post, 'validate');
	expect(changed).toMatchObject({ operation: 'validate' });
	expect(withOperation(changed, 'create')).toStrictEqual(post);
});

test.each([
	['POST', ['altText', 'title']],
	['={{ $json.type }}', ['altText', 'title', 'trialReel']],
])('Create with the content type %s keeps the options that apply', (contentType, names) => {
	const { postOptions } = read({ ...given, contentType }, false);
	expect(Object.keys(postOptions as object).sort()).toEqual(names);
});
