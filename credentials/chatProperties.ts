import type { INodeProperties } from 'n8n-workflow';
import { defaults } from '../nodes/SocialOpenPlatform/protocol/settings';

/** How the chat operations carry the App Secret; the platform's interface does not show it. */
export const chatProperties: INodeProperties[] = [
	{
		displayName: 'Chat Secret Header',
		name: 'chatAuthHeader',
		type: 'string',
		default: defaults.chatAuthHeader,
		description:
			"Header in which chats send the App Secret. Change it when the platform's documentation shows another one.",
	},
	{
		displayName: 'Chat Secret Prefix',
		name: 'chatAuthPrefix',
		type: 'string',
		default: defaults.chatAuthPrefix,
		description:
			'Word before the App Secret in that header, with a space between. Empty sends the App Secret alone.',
	},
];
