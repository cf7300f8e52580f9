/** An article as a WordPress site announces it, for the workflow in examples/cms-publish-to-post.json. */
export interface Article {
	post: {
		ID: number;
		post_title: string;
		post_excerpt: string;
		post_status: 'publish';
		permalink: string;
		featured_image: string;
		featured_image_alt: string;
		tags: string[];
		authors: string[];
		location_id: string;
	};
}

/** @param pictures the URL of a site with pictures at /media */
export function sampleArticle(pictures: string, now: Date): Article {
	const time = now.toISOString().slice(11, 19);
	return {
		post: {
			ID: Math.floor(now.getTime() / 1000),
			post_title: 'Six mountain lakes worth a detour',
			post_excerpt: `Six mountain lakes worth a detour, and where to swim. (${time} UTC)`,
			post_status: 'publish',
			permalink: 'https://blog.example.com/six-mountain-lakes',
			featured_image: `${pictures}/media/lake.jpg`,
			featured_image_alt: 'A green valley with two peaks in the morning sun',
			tags: ['lakes', 'travel'],
			authors: ['anna.example'],
			location_id: '213385402',
		},
	};
}

/** An article whose post is accepted and fails later, because the emulated platform cannot load its picture. */
export function failingArticle(pictures: string, now: Date): Article {
	const { post } = sampleArticle(pictures, now);
	const time = now.toISOString().slice(11, 19);
	return {
		post: {
			...post,
			ID: post.ID + 1,
			post_title: 'A night in the highest hut',
			post_excerpt: `A night in the highest hut, and who snored. (${time} UTC)`,
			permalink: 'https://blog.example.com/highest-hut',
			featured_image: `${pictures}/media/fails-to-load.jpg`,
			featured_image_alt: 'A hut below a ridge in the evening',
			tags: ['huts', 'travel'],
		},
	};
}
