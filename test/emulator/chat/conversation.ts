interface Message {
	role?: unknown;
	content?: unknown;
	tool_calls?: Array<{ id?: string }>;
	tool_call_id?: string;
}

interface Item {
	type?: string;
	call_id?: string;
}

const ROLES: unknown[] = ['system', 'developer', 'user', 'assistant', 'tool'];

/**
 * Returns the first issue of a list of messages, or undefined. The result of each tool call must follow
 * immediately.
 */
export function brokenMessages(messages: unknown[]): string | undefined {
	let open: Array<string | undefined> = [];
	for (const [index, message] of messages.entries()) {
		const { role, content, tool_calls: calls, tool_call_id: answered } = (message ?? {}) as Message;
		const at = `'messages[${index}]`;
		if (!ROLES.includes(role)) return `Invalid value for ${at}.role': '${String(role)}'`;
		const hasContent = typeof content === 'string' || Array.isArray(content);
		if (!hasContent && !(role === 'assistant' && content == null)) {
			return `Invalid type for ${at}.content': expected a string or an array`;
		}
		if (role !== 'tool') {
			if (open.length > 0) return unanswered(open);
			open = (calls ?? []).map(({ id }) => id);
		} else {
			if (!open.includes(answered)) {
				return `Invalid value for ${at}.tool_call_id': no call '${answered}' immediately before it`;
			}
			open = open.filter((id) => id !== answered);
		}
	}
	return open.length > 0 ? unanswered(open) : undefined;
}

/**
 * Returns the first issue of the input items of a response, or undefined. If it continues an earlier
 * response, the calls of that response are not among the items.
 */
export function brokenItems(items: unknown[], continues: boolean): string | undefined {
	let open: Array<string | undefined> = [];
	for (const item of items) {
		const { type, call_id: id } = (item ?? {}) as Item;
		if (type === 'function_call') open.push(id);
		if (type !== 'function_call_output') continue;
		if (!open.includes(id) && !continues) return `No tool call found for the output of '${id}'`;
		open = open.filter((one) => one !== id);
	}
	return open.length > 0 ? unanswered(open) : undefined;
}

const unanswered = (ids: unknown[]) => `No tool output found for the calls ${ids.join(', ')}`;
