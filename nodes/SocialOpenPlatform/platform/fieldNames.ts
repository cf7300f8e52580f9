/**
 * The assumed names of six request fields that the interface does not show ("Create a post"). The
 * credential can change each of them.
 */
export const defaultFieldNames = {
	thumbnail: 'thumbnail',
	thumbnail_offset: 'thumbnail_offset',
	collaborators: 'collaborators',
	auto_crop_image: 'auto_crop_image',
	location_id: 'location_id',
	trial_params: 'trial_params',
};

/** The labels of these six settings in the credential. */
export const fieldLabels = {
	thumbnail: 'Video Cover Image Field',
	thumbnail_offset: 'Video Cover Offset Field',
	collaborators: 'Collaborators Field',
	auto_crop_image: 'Auto-Crop Image Field',
	location_id: 'Location ID Field',
	trial_params: 'Trial Reel Field',
};

/**
 * Names of the fields that the interface shows. None of the six fields can use one of these names.
 */
const knownNames = [
	'social_account_id',
	'post_date',
	'title',
	'type',
	'text',
	'media_urls',
	'exclusive',
	'alt_text',
	'share_to_feed',
	'auto_fit_image',
];

/** The names of the six fields as they are used in the request. */
export type FieldNames = typeof defaultFieldNames;

/** Why names cannot be used: one sentence without a period for each. */
export function issuesOfFieldNames(names: FieldNames): string[] {
	const taken = new Set(knownNames);
	return Object.entries(names).flatMap(([field, name]) => {
		const label = fieldLabels[field as keyof FieldNames];
		if (name === '') return `'${label}' is empty`;
		const isTaken = taken.has(name);
		taken.add(name);
		return isTaken ? `'${label}' is '${name}', which another field already uses` : [];
	});
}
