/** Labels of the fields, as the node's panel shows them, by their names on the wire. */
export const labels = {
	social_account_id: 'Social Account ID',
	publishTime: 'Publish Time',
	post_date: 'Publish At',
	title: 'Title',
	type: 'Content Type',
	text: 'Text',
	media_urls: 'Media URLs',
	thumbnail: 'Video Cover Image URL',
	additionalFields: 'Additional Fields',
	additionalBodyFields: 'Other Fields (JSON)',
	exclusive: 'Platform Options',
	alt_text: 'Alt Text',
	share_to_feed: 'Share to Feed',
	auto_fit_image: 'Auto-Fit Image',
	thumbnail_offset: 'Video Cover Offset',
	collaborators: 'Collaborators',
	auto_crop_image: 'Auto-Crop Image',
	location_id: 'Location ID',
	trial_params: 'Trial Settings',
	trialSettingsJson: 'Trial Settings (JSON)',
	additionalExclusiveOptions: 'Other Options (JSON)',
};

export type LabelledField = keyof typeof labels;

/** The label of a field on the wire, or its name where it has none. */
export function labelOf(field: string): string {
	return (labels as Record<string, string>)[field] ?? field;
}
