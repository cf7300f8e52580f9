import {
	fields,
	postOptionFields,
	readFieldNames,
} from '../../../nodes/SocialOpenPlatform/post/fields';
import type { ReadingContext } from '../../../nodes/SocialOpenPlatform/post/readers';

const context: ReadingContext = {
	...{ parameters: {}, now: 0, timezone: 'UTC' },
	findAccount: (id) => ({ id }),
};

test.each([
	['title', 255],
	['type', 64],
	['location_id', 128],
])('The field %s has at most %i characters', (name, max) => {
	const { read } = fields.find((field) => field.name === name)!;
	expect(read('x'.repeat(max), context, undefined).issue).toBeUndefined();
	expect(read('x'.repeat(max + 1), context, undefined).issue).toBe(
		`is longer than ${max} characters`,
	);
});

test('Field names are read from the credential, and have defaults', () => {
	const { names } = readFieldNames({ videoCoverImageField: ' cover_url ' });
	expect(names).toMatchObject({ thumbnail: 'cover_url', collaborators: 'collaborators' });
});

test.each([
	[{ videoCoverImageField: 'title' }, "'Video Cover Image Field' is 'title', which another field"],
	[{ collaboratorsField: 'location_id' }, "'Location ID Field' is 'location_id', which another"],
	[{ collaboratorsField: 'exclusive' }, "'Collaborators Field' is 'exclusive', which another"],
	[{ collaboratorsField: ' ' }, "'Collaborators Field' is empty"],
])('The field names %j are refused', (own, message) => {
	expect(readFieldNames(own).issues).toEqual([expect.stringContaining(message)]);
});

test('Options that a content type does not use are hidden for it', () => {
	const hidden = postOptionFields.flatMap(({ property: { displayName, displayOptions } }) =>
		displayOptions ? [[displayName, displayOptions.hide!['/contentType']]] : [],
	);
	expect(Object.fromEntries(hidden)).toEqual({
		...{ 'Auto-Crop Image': ['REEL'], 'Auto-Fit Image': ['REEL'] },
		...{ Collaborators: ['STORY'], 'Location ID': ['STORY'], 'Share to Feed': ['STORY'] },
		'Trial Reel': ['POST', 'STORY'],
	});
});
