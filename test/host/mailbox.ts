import { createServer, type Socket } from 'node:net';

/** A mail server on the loopback address that takes every mail and delivers none. */

export interface Mail {
	from: string;
	to: string[];
	headers: Record<string, string>;
	body: string;
}

export interface Mailbox {
	port: number;
	mails: Mail[];
	stop: () => Promise<void>;
}

const address = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? '';

const unquoted = (text: string): string => {
	const bytes = text
		.replace(/=\r\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
	return Buffer.from(bytes, 'latin1').toString('utf8');
};

const decode: Record<string, (text: string) => string> = {
	'quoted-printable': unquoted,
	base64: (text) => Buffer.from(text, 'base64').toString('utf8'),
};

/** A mail of one part, as it came over the wire. */
function read(from: string, to: string[], raw: string): Mail {
	const end = raw.indexOf('\r\n\r\n');
	const lines = raw
		.slice(0, end)
		.replace(/\r\n[ \t]+/g, ' ')
		.split('\r\n');
	const headers = Object.fromEntries(
		lines.map((line) => {
			const [name = '', ...value] = line.split(':');
			return [name.toLowerCase(), value.join(':').trim()];
		}),
	);
	const text = raw.slice(end + 4).replace(/^\.\./gm, '.');
	const plain = decode[headers['content-transfer-encoding'] ?? '']?.(text) ?? text;
	return { from, to, headers, body: plain.replace(/\r\n/g, '\n').trimEnd() };
}

function serve(socket: Socket, mails: Mail[]): void {
	let [left, from, isData] = ['', '', false];
	let to: string[] = [];
	const say = (line: string) => socket.write(`${line}\r\n`);
	const obey = (line: string) => {
		if (/^MAIL/i.test(line)) [from, to] = [address(line), []];
		if (/^RCPT/i.test(line)) to.push(address(line));
		if (/^DATA/i.test(line)) isData = true;
		say(/^QUIT/i.test(line) ? '221 bye' : isData ? '354 go on' : '250 fine');
	};
	/** @returns whether there may be more to take */
	const take = (): boolean => {
		const mark = isData ? '\r\n.\r\n' : '\r\n';
		const at = left.indexOf(mark);
		if (at < 0) return false;
		const piece = left.slice(0, at);
		left = left.slice(at + mark.length);
		if (!isData) obey(piece);
		else {
			mails.push(read(from, to, `${piece}\r\n`));
			isData = false;
			say('250 taken');
		}
		return true;
	};
	socket.setEncoding('latin1').on('data', (chunk) => {
		left += String(chunk);
		while (take());
	});
	socket.on('error', () => undefined);
	say('220 mailbox');
}

export async function mailbox(): Promise<Mailbox> {
	const mails: Mail[] = [];
	const sockets = new Set<Socket>();
	const server = createServer((socket) => {
		sockets.add(socket);
		serve(socket, mails);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const listening = server.address();
	const port = typeof listening === 'object' ? (listening?.port ?? 0) : 0;
	const stop = async () => {
		for (const socket of sockets) socket.destroy();
		await new Promise((resolve) => server.close(resolve));
	};
	return { port, mails, stop };
}
