import { buffer } from 'node:stream/consumers';
import { loopback } from '../loopback';
import type { Credential } from '../n8n/rest';
import type { Setup } from '../n8n/setup';

/** A message of a bot. */
export interface BotMessage {
	/** The text, or the caption of the photo. */
	text: string;
	photo?: Buffer;
	/** The links of the buttons, by their labels. */
	buttons: Record<string, string>;
}

const TOKEN = '1024:telegram';

type Sent = {
	text?: string;
	reply_markup?: { inline_keyboard: Array<Array<{ text: string; url: string }>> };
};

async function photoOf(body: Buffer, type: string): Promise<BotMessage> {
	const headers = { 'content-type': type };
	const form = await new Response(new Uint8Array(body), { headers }).formData();
	const photo = Buffer.from(await (form.get('photo') as File).arrayBuffer());
	return { text: (form.get('caption') as string | null) ?? '', photo, buttons: {} };
}

function messageOf(body: Buffer): BotMessage {
	const { text = '', reply_markup } = JSON.parse(body.toString()) as Sent;
	const buttons = (reply_markup?.inline_keyboard ?? []).flat();
	return { text, buttons: Object.fromEntries(buttons.map((one) => [one.text, one.url])) };
}

/** A server with Telegram's interface for bots, of which it implements what n8n's node uses. */
export async function telegram() {
	const messages: BotMessage[] = [];
	const { url, stop } = await loopback((request, response) => {
		const type = request.headers['content-type'] ?? '';
		void buffer(request).then(async (body) => {
			const isPhoto = request.url === `/bot${TOKEN}/sendPhoto`;
			const isText = request.url === `/bot${TOKEN}/sendMessage`;
			if (!isPhoto && !isText) return void response.writeHead(404).end('{"ok":false}');
			messages.push(isPhoto ? await photoOf(body, type) : messageOf(body));
			response.writeHead(200, { 'content-type': 'application/json' });
			response.end(JSON.stringify({ ok: true, result: { message_id: messages.length } }));
		});
	});
	const credential = async ({ rest }: Pick<Setup, 'rest'>): Promise<Credential> =>
		await rest.createCredential({
			name: 'bot',
			type: 'telegramApi',
			data: { accessToken: TOKEN, baseUrl: url },
		});
	return { messages, credential, stop };
}
