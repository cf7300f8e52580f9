/** Sends JSON as a CMS does. */
export async function postJson(url: string, body: unknown): Promise<Response> {
	// n8n may close an idle connection at the moment when it would be used again.
	const headers = { 'content-type': 'application/json', connection: 'close' };
	return await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
}
