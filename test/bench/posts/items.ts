/** An item that is posted. */
export interface Item {
	text: string;
	picture: string;
}

let batches = 0;

/** Creates items that differ from all others, also in other runs. */
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

/** The request body for an item, which is the same for every contender. */
export const bodyOf = ({ text, picture }: Item): string =>
	JSON.stringify({ social_account_id: 'acc_1', type: 'POST', text, media_urls: [picture] });
