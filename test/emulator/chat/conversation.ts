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

/** What is wrong with a list of messages; undefined if nothing is. Each call wants its result at once. */
export function brokenMessages(messages: unknown[]): string | undefined {
	let open: Array<string | undefined> = [];
	for (const [index, message] of messages.entries()) {
		const { role, content, tool_calls: calls, tool_call_id: answered } = (message ?? {}) as Message;
		const at = `'messages[${index}]`;
		if (!ROLES.includes(role)) return `Invalid value for ${at}.role': '${String(role)}'`;
		const says = typeof content === 'string' || Array.isArray(content);
		if (!says && !(role === 'assistant' && content == null)) {
			return `Invalid type for ${at}.content': expected a string or an array`;
		}
		if (role !== 'tool') {
			if (open.length > 0) return unanswered(open);
			open = (calls ?? []).map(({ id }) => id);
		} else {
			if (!open.includes(answered)) {
				return `${at}.tool_call_id': no call '${answered}' comes right before it`;
			}
			open = open.filter((id) => id !== answered);
		}
	}
	return open.length > 0 ? unanswered(open) : undefined;
}

/** The same for the items of a response's input. Calls that an earlier response made are not there. */
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
