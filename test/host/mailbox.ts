import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { simpleParser } from 'mailparser';
import { SMTPServer } from 'smtp-server';

export interface Mail {
	from: string;
	to: string[];
	subject?: string;
	/** The HTML if there is any, otherwise the text. */
	body: string;
	/** The pictures in the email, and its attachments. */
	files: Buffer[];
}

/** A mail server that records all emails. */
export interface Mailbox {
	port: number;
	mails: Mail[];
	stop: () => Promise<void>;
}

export async function mailbox(): Promise<Mailbox> {
	const mails: Mail[] = [];
	const server = new SMTPServer({
		authOptional: true,
		disabledCommands: ['STARTTLS'],
		onData(stream, { envelope }, done) {
			const from = envelope.mailFrom ? envelope.mailFrom.address : '';
			const to = envelope.rcptTo.map(({ address }) => address);
			simpleParser(stream).then(({ subject, html, text = '', attachments }) => {
				const files = attachments.map(({ content }) => content);
				mails.push({ from, to, subject, body: (html || text).trimEnd(), files });
				done();
			}, done);
		},
	});
	server.listen(0, '127.0.0.1');
	await once(server.server, 'listening');
	return {
		port: (server.server.address() as AddressInfo).port,
		mails,
		stop: async () => await new Promise((resolve) => server.close(() => resolve())),
	};
}
