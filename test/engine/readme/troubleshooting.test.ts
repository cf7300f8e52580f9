import { chatTroubles } from './troubleChats';
import { credentialTroubles } from './troubleCredential';
import { postTroubles } from './troublePosts';
import { isQuotedBy, listedMessages } from './troubles';
import { triggerTroubles } from './troubleTrigger';

const troubles = { ...credentialTroubles, ...postTroubles, ...chatTroubles, ...triggerTroubles };

test('The README lists exactly the messages that are provoked here', () => {
	expect(listedMessages()).toStrictEqual(Object.keys(troubles));
});

test.each(Object.entries(troubles))(
	'The node shows the message “%s” of the README',
	async (quoted, provoke) => {
		const message = (await provoke()) ?? '';
		const quotes = Object.keys(troubles).filter((one) => isQuotedBy(one, message));
		expect({ message, quotes }).toStrictEqual({ message, quotes: [quoted] });
	},
);
