import { until } from '../n8n/until';

const TIMEOUT_MS = 60_000;

/**
 * Waits until n8n has the last page of a form. n8n does not respond to a request for the page
 * itself while the execution is running.
 *
 * @throws Error if the execution ends without the page, or if it does not reach it in time
 */
async function waitForLastPage(formWaitingUrl: string, signal: AbortSignal): Promise<void> {
	const url = new URL(formWaitingUrl);
	url.pathname += '/n8n-execution-status';
	const status = await until(async () => {
		const found = (await (await fetch(url, { signal })).text()).trim();
		const ends = ['form-waiting', 'canceled', 'crashed', 'error', 'success'];
		return ends.includes(found) && found;
	}, TIMEOUT_MS);
	if (status === 'form-waiting') return;
	throw new Error(`The execution ended without the form's last page. Its status: ${status}`);
}

/**
 * Submits a form of n8n and completes its last page, as the page does in a browser.
 *
 * @param values of the fields, in their order
 * @returns the text of the last page
 * @throws Error if there is no last page within a minute
 */
export async function submitForm(url: string, values: Array<string | File>): Promise<string> {
	const signal = AbortSignal.timeout(TIMEOUT_MS);
	const body = new FormData();
	values.forEach((value, index) => body.append(`field-${index}`, value));
	const response = await fetch(url, { method: 'POST', body, signal });
	const { formWaitingUrl } = (await response.json()) as { formWaitingUrl: string };
	await waitForLastPage(formWaitingUrl, signal);
	const page = await (await fetch(formWaitingUrl, { signal })).text();
	await fetch(formWaitingUrl, { method: 'POST', signal });
	const html = page.replace(/<(style|script)[^]*?<\/\1>/g, '');
	return html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}
