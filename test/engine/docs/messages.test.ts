import { DeduplicationStore } from '../harness/deduplicationStore';
import { usePlatform, useShortTokenWaits } from '../harness/platform';
import { useTrigger } from '../harness/triggerPlatform';
import { chatMessages } from './chatMessages';
import { credentialMessages } from './credentialMessages';
import { postMessages } from './postMessages';
import { isQuotedBy, listedMessages } from './quotedMessages';
import { triggerMessages } from './triggerMessages';

const platformMessages = { ...credentialMessages, ...postMessages, ...chatMessages };
const all = Object.keys({ ...platformMessages, ...triggerMessages });

/** Expects that the documents quote a message only as this text. */
function expectQuoted(message = '', quoted: string): void {
	const quotes = all.filter((one) => isQuotedBy(one, message));
	expect({ message, quotes }).toStrictEqual({ message, quotes: [quoted] });
}

test('The documents list exactly the messages that are caused here', () => {
	expect(listedMessages()).toStrictEqual(all);
});

describe('The documents quote a message of', () => {
	const platform = usePlatform();
	useShortTokenWaits();
	beforeAll(async () => void (await DeduplicationStore.install()));

	test.each(Object.entries(platformMessages))('the nodes: “%s”', async (quoted, cause) => {
		expectQuoted(await cause(platform), quoted);
	});
});

describe('The documents quote a message of', () => {
	const platform = useTrigger();

	test.each(Object.entries(triggerMessages))('the trigger: “%s”', async (quoted, cause) => {
		expectQuoted(await cause(platform), quoted);
	});
});
