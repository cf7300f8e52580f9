/** What is posted: items as n8n gets them, and the bodies they are to become. */
export interface Item {
	text: string;
	picture: string;
}

let batches = 0;

/** Items of which no two are alike, within one run or over several. */
export function makeItems(count: number): Item[] {
	batches += 1;
	return Array.from({ length: count }, (_, index) => {
		const id = `${batches}-${index + 1}`;
		return {
			text: `Post ${id}: "Über den Pass", with twelve pictures of the valley. #news #valley`,
			picture: `https://cdn.example/valley/${id}.jpg`,
		};
	});
}

/** The body of an item's post; every contender sends these same bytes. */
export const bodyOf = ({ text, picture }: Item): string =>
	JSON.stringify({ social_account_id: 'acc_1', type: 'POST', text, media_urls: [picture] });

/** What is wrong with the posts that the platform has accepted: each item was to be there, once. */
export function complaintsAbout(accepted: string[], items: Item[]): string[] {
	const wanted = new Set(items.map(bodyOf));
	const distinct = new Set(accepted);
	const counts = {
		missing: [...wanted].filter((body) => !distinct.has(body)).length,
		'posted twice or more': accepted.length - distinct.size,
		'unlike any item': [...distinct].filter((body) => !wanted.has(body)).length,
	};
	return Object.entries(counts).flatMap(([what, count]) =>
		count === 0 ? [] : `${count} of ${items.length} posts ${what}`,
	);
}
