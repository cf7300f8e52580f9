import { until } from './postFlow';

/**
 * Submits a form of n8n as its page does, and completes its last page.
 *
 * @param values of the fields, in their order
 * @returns the text of the last page
 */
export async function submitForm(url: string, values: Array<string | File>): Promise<string> {
	const form = new FormData();
	values.forEach((value, index) => form.append(`field-${index}`, value));
	const response = await fetch(url, { method: 'POST', body: form });
	const { formWaitingUrl } = (await response.json()) as { formWaitingUrl: string };
	const status = new URL(formWaitingUrl);
	status.pathname += '/n8n-execution-status';
	await until(async () => (await (await fetch(status)).text()).trim() === 'form-waiting', 60_000);
	const page = await (await fetch(formWaitingUrl)).text();
	await fetch(formWaitingUrl, { method: 'POST' });
	const html = page.replace(/<(style|script)[^]*?<\/\1>/g, '');
	return html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
}
