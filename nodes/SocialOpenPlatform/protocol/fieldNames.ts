import { z } from 'zod/v4';

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

const name = (label: string) => z.string().trim().min(1, `'${label}' is empty`);

export const fieldNamesSchema = z
	.object({
		thumbnail: name(fieldLabels.thumbnail),
		thumbnail_offset: name(fieldLabels.thumbnail_offset),
		collaborators: name(fieldLabels.collaborators),
		auto_crop_image: name(fieldLabels.auto_crop_image),
		location_id: name(fieldLabels.location_id),
		trial_params: name(fieldLabels.trial_params),
	})
	.check((context) => {
		const taken = new Set(knownNames);
		for (const [field, value] of Object.entries(context.value)) {
			if (taken.has(value)) {
				context.issues.push({
					code: 'custom',
					input: value,
					message: `'${fieldLabels[field as keyof FieldNames]}' is '${value}', which another field already uses`,
				});
			}
			taken.add(value);
		}
	});

/** The names of the six fields as they are used in the request. */
export type FieldNames = z.infer<typeof fieldNamesSchema>;
