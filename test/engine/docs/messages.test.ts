import { chatMessages } from './chatMessages';
import { credentialMessages } from './credentialMessages';
import { postMessages } from './postMessages';
import { isQuotedBy, listedMessages } from './quotedMessages';
import { triggerMessages } from './triggerMessages';

const quotedMessages = {
	...credentialMessages,
	...postMessages,
	...chatMessages,
	...triggerMessages,
};

test('The documents list exactly the messages that are caused here', () => {
	expect(listedMessages()).toStrictEqual(Object.keys(quotedMessages));
});

test.each(Object.entries(quotedMessages))(
	'The node shows the message that the documents quote: “%s”',
	async (quoted, cause) => {
		const message = (await cause()) ?? '';
		const quotes = Object.keys(quotedMessages).filter((one) => isQuotedBy(one, message));
		expect({ message, quotes }).toStrictEqual({ message, quotes: [quoted] });
	},
);
