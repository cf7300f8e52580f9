import { readFieldNames } from '../../../nodes/SocialOpenPlatform/post/fieldNames';

test('Field names are read from the credential only if they are customized', () => {
	const own = { videoCoverImageField: 'cover_url' };
	expect(readFieldNames(own).names.thumbnail).toBeUndefined();
	expect(readFieldNames({ ...own, customizeFieldNames: true }).names.thumbnail).toBe('cover_url');
});

test.each([
	[{ videoCoverImageField: 'title' }, "'Video Cover Image Field' is 'title', which another field"],
	[{ collaboratorsField: 'location_id' }, "'Location ID Field' is 'location_id', which another"],
	[{ collaboratorsField: ' ' }, "'Collaborators Field' is empty"],
])('The field names %j are refused', (own, message) => {
	const { issues } = readFieldNames({ ...own, customizeFieldNames: true });
	expect(issues).toEqual([expect.stringContaining(message)]);
});
