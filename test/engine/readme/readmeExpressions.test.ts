import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { samples } from '../../unit/mediaSamples';
import { FileHost } from '../harness/fileHost';
import { usePlatform } from '../harness/platform';
import { runAgent } from '../harness/agentRun';

const readme = readFileSync(join(__dirname, '../../../README.md'), 'utf8');

/** The expressions that the README tells users to enter. */
const expressions = [...new Set(readme.match(/\{\{.*?\}\}/g))];
const asked = expressions.filter((expression) => expression.includes('$fromAI('));

const platform = usePlatform();

/** Returns the value of an expression within a text. */
async function textOf(expression: string): Promise<string> {
	await platform.run({ text: `=Said: ${expression}` }, { items: [{ message: 'It has failed.' }] });
	const { text } = platform.emulator.posts[0]!.request as { text: string };
	return text.replace('Said: ', '');
}

test('The README contains only expressions that are evaluated here', () => {
	const others = expressions.filter((expression) => !asked.includes(expression));
	expect(others.sort()).toStrictEqual([
		...['{{ $binary.data }}', '{{ $json.message }}', "{{ $json.text ?? '' }}", '{{ $now }}'],
	]);
	expect(asked).toHaveLength(3);
});

test('{{ $binary.data }} returns the file of the item', async () => {
	const host = await FileHost.start();
	const data = await host.store(samples.jpeg, 'photo.jpg');
	const { restApiUrl } = host;
	await platform.run({ mediaUrls: ['={{ $binary.data }}'] }, { files: [{ data }], restApiUrl });
	await host.stop();
	expect(platform.emulator.posts[0]!.request).toMatchObject({
		media_urls: [expect.stringContaining('/rest/binary-data/signed?token=')],
	});
});

test('{{ $json.message }} returns the text of the examples', async () => {
	expect(await textOf('{{ $json.message }}')).toBe('It has failed.');
});

test("{{ $json.text ?? '' }} returns the text, or empty text if there is none", async () => {
	const text = "={{ $json.text ?? '' }}";
	await platform.run({ text }, { items: [{ text: 'Hello' }, {}] });
	const texts = platform.emulator.posts.map(({ request }) => (request as { text?: string }).text);
	expect(texts.sort()).toEqual(['Hello', undefined]);
});

test('{{ $now }} returns the current date', async () => {
	const said = DateTime.fromISO(await textOf('{{ $now }}'));
	expect(Math.abs(said.diffNow('minutes').minutes)).toBeLessThan(5);
});

test("A tool with the expressions of the README sends the model's arguments", async () => {
	const [text, mediaUrls, publishAt] = asked.map((expression) => `=${expression}`);
	const media = ['https://cdn.example/a.jpg', 'https://cdn.example/b.jpg'];
	const [told] = await runAgent({
		platform,
		turns: [[{ text: 'Hello', media_urls: media, publish_at: '2099-12-31T18:00' }]],
		parameters: {
			...{ socialAccountId: 'acc_1', text, mediaUrls: [mediaUrls!] },
			...{ publishTime: 'at', publishAt },
		},
	});
	expect(told).toMatchObject({ action_sn: expect.any(String) });
	expect(platform.emulator.posts[0]!.request).toMatchObject({
		...{ text: 'Hello', media_urls: media, post_date: '2099-12-31T18:00:00+01:00' },
	});
});
