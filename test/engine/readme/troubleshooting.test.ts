import { chatTroubles } from './troubleChats';
import { credentialTroubles } from './troubleCredential';
import { postTroubles } from './troublePosts';
import { isQuotedBy, listedMessages } from './troubles';
import { triggerTroubles } from './troubleTrigger';

const troubles = { ...credentialTroubles, ...postTroubles, ...chatTroubles, ...triggerTroubles };

test('The README lists every message that is provoked here, once, and no other', () => {
	expect(listedMessages()).toStrictEqual(Object.keys(troubles));
});

test.each(Object.entries(troubles))(
	'What the README says of “%s” is for what says so',
	async (quoted, provoke) => {
		const message = (await provoke()) ?? '';
		const quotes = Object.keys(troubles).filter((one) => isQuotedBy(one, message));
		expect({ message, quotes }).toStrictEqual({ message, quotes: [quoted] });
	},
);
