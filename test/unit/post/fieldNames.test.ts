import { readFieldNames } from '../../../nodes/SocialOpenPlatform/post/fields';

test('Field names are read from the credential, and have defaults', () => {
	const { names } = readFieldNames({ videoCoverImageField: ' cover_url ' });
	expect(names).toMatchObject({ thumbnail: 'cover_url', collaborators: 'collaborators' });
});

test.each([
	[{ videoCoverImageField: 'title' }, "'Video Cover Image Field' is 'title', which another field"],
	[{ collaboratorsField: 'location_id' }, "'Location ID Field' is 'location_id', which another"],
	[{ collaboratorsField: ' ' }, "'Collaborators Field' is empty"],
])('The field names %j are refused', (own, message) => {
	const { issues } = readFieldNames(own);
	expect(issues).toEqual([expect.stringContaining(message)]);
});
