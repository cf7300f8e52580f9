import type { INodeProperties } from 'n8n-workflow';

/** How the chat operations carry the App Secret; the platform's interface does not show it. */
export const chatProperties: INodeProperties[] = [
	{
		displayName: 'Chat Secret Header',
		name: 'chatAuthHeader',
		type: 'string',
		default: 'Authorization',
		description: 'Header in which the chat operations send the App Secret',
	},
	{
		displayName: 'Chat Secret Prefix',
		name: 'chatAuthPrefix',
		type: 'string',
		default: 'Bearer',
		description:
			'Word before the App Secret in that header, with a space between. Empty sends the App Secret alone.',
	},
];
