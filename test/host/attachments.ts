export interface Attachment {
	/** The file in n8n, as the binary data of an item. */
	binary: { data: string; mimeType: string; fileName: string };
	/** The file in the request to the platform, as a part of a message. */
	part: { type: string; [field: string]: unknown };
}

const PIXEL =
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PAGE = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');

export const attachments: Record<string, Attachment> = {
	picture: {
		binary: { data: PIXEL, mimeType: 'image/png', fileName: 'pixel.png' },
		part: { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
	},
	PDF: {
		binary: { data: PAGE, mimeType: 'application/pdf', fileName: 'page.pdf' },
		part: {
			type: 'file',
			file: { filename: 'page.pdf', file_data: `data:application/pdf;base64,${PAGE}` },
		},
	},
};

/** The attachment as a file to upload. */
export const fileOf = ({ binary: { data, mimeType, fileName } }: Attachment) =>
	new File([Buffer.from(data, 'base64')], fileName, { type: mimeType });
